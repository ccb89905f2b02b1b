"""The zip for Gradescope, the program in its container, and a simulation of it.

Input: an upload with its metadata. Output: always a results.json.
"""
