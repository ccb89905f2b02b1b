"""Questions -> a sheet for each student, in the forms that people use. No key is in any of them."""
