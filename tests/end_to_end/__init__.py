"""Tests of the whole, as people meet it: a browser, the platform, the docs, the homeworks of this course."""
