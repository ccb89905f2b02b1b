"""What of a solution, a hidden case or staff/ can be read in a release or in a message."""
