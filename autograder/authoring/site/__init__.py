"""release/ and course.toml -> a site for students, which needs no server and no network.

Comes in: what `release --to` copies, the dates and rules of course.toml. Goes out: pages beside the copied
notebooks. Nothing of staff/ is read for a page; the gate of `release` looks at each before it is
written.
"""
