"""The zip for Gradescope, what runs in its container, and a simulation of it.

Comes in: an upload with its metadata. Goes out: results.json, always.
"""
