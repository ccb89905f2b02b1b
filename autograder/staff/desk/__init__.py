"""The desk: a web page on this machine for all work of staff with a course's submissions."""
