"""UNTRUSTED: runs beside student code, as an adapter of the homework does. It has no key and no mark."""
