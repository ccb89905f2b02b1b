"""Marks -> pages and files for people and platforms. Only `store` reads some back: the log in results.json, and an executed notebook.

Input: a `Grade` and its log. Output: HTML, JSON and CSV.
"""
