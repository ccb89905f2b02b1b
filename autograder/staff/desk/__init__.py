"""The desk: one web page on this machine for everything that staff do with a course's submissions."""
