"""Gradescope, simulated: a real Linux system of its own, a real zip, limits that a kernel holds."""
