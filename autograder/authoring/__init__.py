"""A homework in source/ -> release/ and solutions/, a site, and proofs that the homework is sound.

Input: source/<homework>/ and course.toml. Output: the students' files, and one line for each rule
of the contract. Nothing of staff/ may reach students: a release that gives something away is not
written.
"""

import sys

# jsonschema, which nbformat imports, would build a grammar of web addresses: 1.5 s at each start.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
