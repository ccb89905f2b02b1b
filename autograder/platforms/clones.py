"""Each person's commits until the deadline, read from a folder of clones."""

import itertools
from collections.abc import Sequence

from autograder.course.people import People, key
from autograder.platforms import git
from autograder.records.codec import one_line
from autograder.records.errors import UserError
from autograder.records.facts import Receipt
from autograder.submission.archives import MAX_DEPTH, Entry, Unusable, Upload, is_skipped
from autograder.submission.opening import Listed
from autograder.submission.platform import Deadline, Given, Platform, Shares


def committed(given: Given) -> Shares | None:
    """Return the committed files of each clone in a folder; None if most subfolders are not clones."""
    if given.top.kind != "folder":
        return None
    try:
        folders = [
            one for one in given.top.inside() if one.kind == "folder" and not is_skipped(one.name)
        ]
    except OSError:
        return None  # the ordinary search reports the problem
    clones = [folder for folder in folders if git.is_clone(folder)]
    if not clones or 2 * len(clones) <= len(folders):
        return None
    complaints = [
        f"{one_line(folder)}: all others are clones of a repository, but this is not; "
        "clone it again"
        for folder in folders
        if folder not in clones
    ]
    logins = _logins([clone.name for clone in clones], given.roster)
    uploads = []
    for clone in clones:
        login = logins[clone.name]
        try:
            uploads.append(_of_clone(clone, login, given.deadline))
        except (UserError, OSError) as error:
            why = Unusable(one_line(error), "the repository cannot be read")
            receipt = Receipt(people=(login,))
            uploads.append(Upload(login, one_line(clone), (), receipt=receipt, unusable=why))
    return uploads, complaints


def _of_clone(clone: Listed, login: str, deadline: Deadline) -> Upload:
    until = deadline(login)
    commits = git.commits(clone)
    late = 0
    while until and late < len(commits) and commits[late].at > until:
        late += 1
    if late == len(commits):
        raise UserError(f"all of its {late} commits were made after {until:%Y-%m-%d %H:%M %Z}")
    commit = commits[late]
    items = []
    for path, file in git.committed(clone, commit):
        *where, name = path.split("/")
        plain = not any(map(is_skipped, (*where, name))) and len(where) < MAX_DEPTH
        if plain and not name.lower().endswith(".zip"):
            items.append(Entry(file, tuple(where), name))
    note = f"{late} later commit{'s are' if late > 1 else ' is'} ignored" if late else ""
    receipt = Receipt(commit.at, people=(login,))
    return Upload(login, one_line(clone), tuple(items), note, receipt)


def _logins(names: Sequence[str], roster: People) -> dict[str, str]:
    """Return the owner of each clone: the text after <classroom>-<assignment>- in its name.

    A login may contain hyphens, so a login of roster.csv takes precedence, unless the names of the
    other clones show that it is only the end of a longer login. A single clone shows nothing.
    """
    parts = list(zip(*(name.split("-") for name in names), strict=False)) if len(names) > 1 else []
    same = list(itertools.takewhile(lambda part: len(set(part)) == 1, parts))
    start = "".join(f"{part[0]}-" for part in same)
    known = sorted(roster.by_id, key=len, reverse=True)
    found = {}
    for name in names:
        ends = (
            login
            for login in known
            if key(name).endswith(f"-{login}")
            and (not start or _is_assignment(name[: -len(login)], names, roster))
        )
        login = next(ends, "")
        found[name] = name[-len(login) :] if login else name.removeprefix(start) or name
    return found


def _is_assignment(start: str, names: Sequence[str], roster: People) -> bool:
    """Return whether several names are this text and a login; a folder may have two assignments."""
    ends = [name.removeprefix(start) for name in names if name.startswith(start)]
    return len(ends) == len(names) or sum(key(end) in roster.by_id for end in ends) > 1


PLATFORM = Platform(whole=committed)
