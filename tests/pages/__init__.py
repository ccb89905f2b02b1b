"""Tests of docs/, its site and the README."""
