"""All that runs beside student code; nothing it sends out is believed.

Comes in: a job as JSON. Goes out: values as JSON. It imports only the records, the codec and the values.
"""
