"""Tests of modules together: they start the sandbox, a pool of graders or a database."""
