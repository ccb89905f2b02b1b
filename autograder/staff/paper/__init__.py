"""Written answers -> PDF, for people who mark on paper.

Input: written answers. Output: PDF. The typesetter reads student text, so it runs in the sandbox.
"""
