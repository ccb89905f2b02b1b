"""Scans of sheets -> letters, and doubtful cases for a person; nothing is guessed.

Input: files from a scanner or a phone, decoded only in the sandbox. Output: letters, reasons and
small pictures. An unclear box never becomes a letter.
"""
