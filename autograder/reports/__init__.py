"""Marks -> pages and files for people and platforms. No code reads them back.

Input: a `Grade` and its log. Output: HTML, JSON and CSV.
"""
