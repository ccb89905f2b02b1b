"""Tests of one module at a time, in folders that are named after those of autograder/: no sandbox, nothing slow."""
