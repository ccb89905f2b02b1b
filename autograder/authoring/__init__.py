"""A homework in source/ -> release/ and solutions/, a site, and proofs that the homework is sound.

In: source/<homework>/ and course.toml. Out: what students get, and one line for each rule of the
contract. Nothing of staff/ may reach what students get: a release that gives something away is not
written.
"""
