"""The tests; conftest.py has their common fixtures."""
