"""Scans of sheets -> letters, and what a person has to look at; nothing is guessed.

Comes in: files from a scanner or a telephone, which are decoded in the sandbox alone. Goes out:
letters, reasons and small pictures. A box that is not plain never becomes a letter.
"""
