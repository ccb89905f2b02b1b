"""The tests; see conftest.py for what they share."""
