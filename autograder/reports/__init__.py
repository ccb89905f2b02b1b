"""Marks -> pages and files for people and platforms. Nothing reads them back.

Comes in: a `Grade` and its log. Goes out: HTML, JSON and CSV.
"""
