"""Hostile and odd submissions, one small file each, and what they deserve."""
