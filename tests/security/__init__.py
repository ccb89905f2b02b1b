"""Tests of what keeps student code in: its layers, its limits, and what comes out of the sandbox."""
