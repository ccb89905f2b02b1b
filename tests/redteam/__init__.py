"""Hostile and odd hand-ins, one small file each, and what they deserve."""
