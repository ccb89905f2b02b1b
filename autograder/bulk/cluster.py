"""Many submissions on many machines: the same work, sent to a Dask cluster."""
