"""Written answers -> PDF, for people who mark on paper.

Comes in: written answers. Goes out: PDF. Its typesetter reads what students wrote, and runs in the sandbox.
"""
