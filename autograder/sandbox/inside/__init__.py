"""All code that runs beside student code; nothing it sends out is trusted.

Input: a job as JSON. Output: values as JSON. It imports only the records.
"""
