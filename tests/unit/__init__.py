"""Tests of single modules, in folders named like those of autograder/: no sandbox, nothing slow."""
