"""release/ and course.toml -> a site for students, which needs no server and no network.

Input: the files that `release --to` copies, and the dates and rules of course.toml. Output: pages
beside the copied notebooks. No page reads staff/; the gate of `release` searches each page before
it is written.
"""
