"""Comments on single lines of code, within the one comment on an answer: "Line 3: too early".

Written as words, they also appear in gradebooks, exports and nbgrader's pages.
"""

import re

_ON_A_LINE = re.compile(r"Line (\d{1,4}): (.+)")


def parted(comment: str, lines: int) -> tuple[str, dict[int, str]]:
    """Split a comment into its general part and the comments on single lines, by line number.

    Args:
        comment: What a person wrote on an answer.
        lines: The number of lines of the answer's code; remarks on other lines stay in the comment.

    """
    rest: list[str] = []
    found: dict[int, str] = {}
    for text in comment.split("\n"):
        match = _ON_A_LINE.fullmatch(text.strip())
        if match and 1 <= int(match[1]) <= lines:
            before = found.get(int(match[1]))
            found[int(match[1])] = f"{before} {match[2]}" if before else match[2]
        else:
            rest.append(text)
    return "\n".join(rest).strip(), found
