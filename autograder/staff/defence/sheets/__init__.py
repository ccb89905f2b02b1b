"""Questions -> a sheet for each student, in several forms, none of which contains a key."""
