"""Tests of the whole, as people meet it: a browser, the platform, the homeworks of this course."""
