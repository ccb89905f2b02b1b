"""A folder of clones: the commit at the deadline counts, and nothing in a repository runs."""

import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from autograder.course.people import People
from autograder.platforms import git
from autograder.records.errors import UserError
from autograder.submission import archives, discover, opening
from autograder.submission.discover import Found

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
DAY = "2026-03-0{}T12:00:00+00:00"


def run(folder: Path, *words: str, when: str = DAY.format(1), given: str = "") -> str:
    """Run git like a student; return what it printed."""
    who = ("-c", "user.name=x", "-c", "user.email=x@y", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *words],
        check=True,
        capture_output=True,
        text=True,
        input=given,
        env={**os.environ, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when},
    )
    return done.stdout.strip()


def clone(folder: Path, *days: int) -> Path:
    """Make a repository with one notebook per day."""
    folder.mkdir(parents=True)
    run(folder, "init")
    for day in days:
        (folder / "port.ipynb").write_text(f'{{"day": {day}}}')
        (folder / "help.py").write_text(f"day = {day}")
        (folder / "all.zip").write_text("PK")
        (folder / ".hidden").mkdir(exist_ok=True)
        (folder / ".hidden" / "port.ipynb").write_text("{}")
        (folder / "link.ipynb").unlink(missing_ok=True)
        (folder / "link.ipynb").symlink_to("/etc/passwd")
        run(folder, "add", "-A")
        run(folder, "commit", "-qm", "x", when=DAY.format(day))
    return folder


def found(
    top: Path, until: datetime | None = None, roster: dict[str, dict[str, str]] | None = None
) -> tuple[dict[str, Found], list[str]]:
    items, complaints = discover.find(
        [top], homework="port", roster=People.of(roster or {}), deadline=lambda person: until
    )
    return {item.student: item for item in items}, complaints


def text(item: Found) -> str:
    assert isinstance(item.path, opening.Stored)
    return archives.read_bytes(item.path, limit=1000).decode()


def test_the_commit_at_the_deadline_counts(tmp_path: Path) -> None:
    """Later ones are ignored with a note; people without one are reported; dates are receipts."""
    clone(tmp_path / "cls-hw-2-ada-lovelace", 1, 3, 5)
    clone(tmp_path / "cls-hw-2-ben", 2)
    clone(tmp_path / "cls-hw-2-chi", 5)
    (tmp_path / "notes").mkdir()
    people, complaints = found(tmp_path, datetime(2026, 3, 4, tzinfo=UTC))
    assert set(people) == {"ada-lovelace", "ben", "chi"}
    ada = people["ada-lovelace"]
    assert (text(ada), ada.note) == ('{"day": 3}', "1 later commit is ignored")
    assert ada.receipt
    assert (ada.receipt.at, ada.receipt.people) == (
        datetime(2026, 3, 3, 12, tzinfo=UTC),
        ("ada-lovelace",),
    )
    assert list(ada.helpers) == ["help.py"]
    assert people["chi"].unusable
    assert "all of its 1 commits were made after 2026-03-04" in people["chi"].unusable.why
    with pytest.raises(UserError, match="all of its 1 commits"):
        archives.read_bytes(people["chi"].path, limit=1)
    (line,) = complaints
    assert "notes: all others are clones of a repository" in line
    people, _ = found(tmp_path)
    assert text(people["ada-lovelace"]) == '{"day": 5}'


def test_the_working_tree_counts_for_nothing(tmp_path: Path) -> None:
    """Only commits are submissions; a clone without a working tree is enough."""
    clone(tmp_path / "a-ada", 1)
    clone(tmp_path / "a-ben", 1)
    (tmp_path / "a-ada" / "port.ipynb").write_text("changed")
    (tmp_path / "a-ben" / "port.ipynb").unlink()
    people, _ = found(tmp_path)
    assert [text(people[name]) for name in ("ada", "ben")] == ['{"day": 1}'] * 2


def test_a_login_is_one_person_of_the_roster(tmp_path: Path) -> None:
    """Logins may contain hyphens and share a prefix; a column of roster.csv identifies them."""
    clone(tmp_path / "cls-hw-ada-x", 1)
    clone(tmp_path / "cls-hw-ada-Y", 1)
    assert set(found(tmp_path)[0]) == {"x", "Y"}
    roster = {"4711": {"name": "A", "github": "ada-x"}, "4712": {"name": "B", "github": "ada-y"}}
    people, _ = found(tmp_path, roster=roster)
    assert set(people) == {"4711", "4712"}
    assert people["4712"].receipt
    assert people["4712"].receipt.people == ("ada-Y", "4712")


def test_the_end_of_a_login_is_not_somebody_else_s_login(tmp_path: Path) -> None:
    """A login that is missing from the roster may end like one in it."""
    clone(tmp_path / "cls-hw-jin-lee", 1)
    clone(tmp_path / "cls-hw-ada-2", 1)
    roster = {"4711": {"name": "L", "github": "lee"}, "2": {"name": "B"}}
    assert set(found(tmp_path, roster=roster)[0]) == {"jin-lee", "ada-2"}


def test_clones_of_two_assignments_keep_their_owners(tmp_path: Path) -> None:
    """Then their names have only the classroom in common."""
    for name in ("cs1-hw1-ada", "cs1-hw1-bob", "cs1-hw1b-cy", "cs1-hw1b-di"):
        clone(tmp_path / name, 1)
    people = {name: {"name": name.title()} for name in ("ada", "bob", "cy", "di")}
    assert set(found(tmp_path, roster=people)[0]) == {*people}


def test_packed_and_shallow_clones_are_read(tmp_path: Path) -> None:
    """`git clone --depth` and `git gc` make them."""
    whole = clone(tmp_path / "whole", 1, 2)
    run(whole, "gc", "-q")
    folder = tmp_path / "clones"
    folder.mkdir()
    for name, words in {"x-ada": ("--depth", "1"), "x-ben": ("--no-checkout",)}.items():
        run(folder, "clone", "-q", *words, f"file://{whole}", name)
    people, _ = found(folder)
    assert [text(people[name]) for name in ("ada", "ben")] == ['{"day": 2}'] * 2


def test_nothing_of_a_repository_is_run(tmp_path: Path) -> None:
    """Configuration, hooks, attributes and filters name programs; none leaves a trace."""
    trace = tmp_path / "trace"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {trace}\n")
    program.chmod(0o755)
    top = tmp_path / "clones"
    for name in ("x-ada", "x-ben"):
        folder = clone(top / name, 1)
        (folder / ".gitattributes").write_text("* filter=bad diff=bad textconv=bad\n")
        run(folder, "add", "-A")
        run(folder, "commit", "-qm", "attributes")
        hooks = folder / ".git" / "hooks"
        for hook in ("post-checkout", "pre-auto-gc", "reference-transaction", "fsmonitor-watchman"):
            (hooks / hook).write_text(program.read_text())
            (hooks / hook).chmod(0o755)
        with (folder / ".git" / "config").open("a") as config:
            config.write(
                f"[core]\n\tfsmonitor = {program}\n\tpager = {program}\n\tsshCommand = {program}\n"
                f"\thooksPath = {hooks}\n\talternateRefsCommand = {program}\n"
                f'[filter "bad"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n'
                f'[diff "bad"]\n\ttextconv = {program}\n\tcommand = {program}\n'
                f"[gpg]\n\tprogram = {program}\n[log]\n\tshowSignature = true\n"
                f"[pager]\n\trev-list = {program}\n[alias]\n\trev-list = !{program}\n"
                f'[remote "origin"]\n\turl = ext::{program}\n\tpromisor = true\n'
                "[extensions]\n\tpartialClone = origin\n"
            )
    people, _ = found(top)
    assert [text(people[name]) for name in ("ada", "ben")] == ['{"day": 1}'] * 2
    assert not trace.exists()
    # A file that is missing is not fetched by a program of the repository's choice.
    lost = people["ada"].path.within[1]
    (top / "x-ada" / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    with pytest.raises(UserError, match="git cannot read it"):
        text(people["ada"])
    assert not trace.exists()


def test_what_reaches_outside_the_clone_is_refused(tmp_path: Path) -> None:
    """This covers borrowed objects, names that lead elsewhere, links, and invalid dates."""
    good = clone(tmp_path / "x-good", 1)
    borrowed = clone(tmp_path / "x-borrowed", 1)
    (borrowed / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (borrowed / ".git" / "objects" / "info" / "alternates").write_text(f"{good}/.git/objects\n")
    reaching = clone(tmp_path / "x-reaching", 1)
    pack = reaching / ".git" / "objects" / "pack"
    pack.rmdir()
    pack.symlink_to(good / ".git" / "objects")
    climbing = clone(tmp_path / "x-climbing", 1)
    (climbing / ".git" / "HEAD").write_text("ref: refs/heads/../../../x-good/.git/refs/heads/main")
    linked = clone(tmp_path / "x-linked", 1)
    (linked / ".git" / "HEAD").unlink()
    (linked / ".git" / "HEAD").symlink_to(good / ".git" / "HEAD")
    empty = clone(tmp_path / "x-empty")
    assert empty.is_dir()
    people, _ = found(tmp_path)
    why = {name: item.unusable.why for name, item in people.items() if item.unusable}
    assert "objects are stored elsewhere" in why["borrowed"]
    assert "objects are stored elsewhere" in why["reaching"]
    assert "not a complete clone" in why["climbing"]
    assert "not a complete clone" in why["linked"]
    assert "no commit" in why["empty"]
    assert text(people["good"]) == '{"day": 1}'
    far = clone(tmp_path / "far", 1)
    run(far, "commit", "-q", "--allow-empty", "-m", "x", when="@99999999999999 +0000")
    assert [one.at.year for one in git.commits(opening.given(far))] == [2999, 2026]


def test_a_few_objects_that_name_a_billion_files_are_refused(tmp_path: Path) -> None:
    """Nine trees, each naming the one below ten times, do not fill a disk with names."""
    folder = clone(tmp_path / "x-ada", 1)
    clone(tmp_path / "x-ben", 1)
    inside = run(folder, "hash-object", "-w", "--stdin", given="{}")
    kind, mode = "blob", "100644"
    for _ in range(9):
        lines = "".join(f"{mode} {kind} {inside}\td{n}\n" for n in range(10))
        inside = run(folder, "mktree", given=lines)
        kind, mode = "tree", "040000"
    commit = run(folder, "commit-tree", inside, "-m", "x")
    (folder / ".git" / "refs" / "heads" / "main").write_text(f"{commit}\n")
    people, _ = found(tmp_path)
    assert people["ada"].unusable
    assert "git printed more than 20 MB for it" in people["ada"].unusable.why
    assert text(people["ben"]) == '{"day": 1}'


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("a link", "its objects are stored elsewhere"),
        ("another place", "its objects are stored elsewhere"),
        ("a link for a moment", "it changed while it was being read"),
        ("a pipe", "git took more than"),
    ],
)
def test_what_changes_while_git_reads_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, why: str
) -> None:
    """The owner redirects git to staff's objects after the check, knowing their names."""
    staff = clone(tmp_path / "staff", 1, 2)
    theirs = clone(tmp_path / "x-ada", 1)
    listed = opening.given(theirs)
    objects, run_git = theirs / ".git" / "objects", subprocess.run
    sha = run(staff, "rev-parse", "HEAD:port.ipynb")
    solution = git.blob(listed, sha, "port.ipynb", len('{"day": 2}'))
    (objects / sha[:2]).mkdir(exist_ok=True)

    def changed(words: list[str], **options: Any) -> Any:
        name = objects / sha[:2]
        if how == "another place":
            (objects / "info" / "alternates").write_text(f"{staff}/.git/objects\n")
        elif how == "a pipe":
            os.mkfifo(name / sha[2:])
            options["timeout"] = 0.2
        else:
            name.rename(tmp_path / "aside")
            name.symlink_to(staff / ".git" / "objects" / sha[:2])
        done = run_git(words, **options)
        if how == "a link for a moment":
            name.unlink()
            (tmp_path / "aside").rename(name)
        return done

    monkeypatch.setattr(git.subprocess, "run", changed)
    with pytest.raises(UserError, match=why):
        archives.read_bytes(solution, limit=1000)


def test_a_clone_that_took_the_place_of_one_is_not_read(tmp_path: Path) -> None:
    """If a folder has become a link, nothing in it is read; others are."""
    staff = clone(tmp_path / "staff", 1, 2)
    top = tmp_path / "clones"
    clone(top / "x-ada", 1)
    clone(top / "x-ben", 1)
    people, _ = found(top)
    (top / "x-ada").rename(tmp_path / "aside")
    (top / "x-ada").symlink_to(staff)
    with pytest.raises(UserError, match="its objects are stored elsewhere"):
        text(people["ada"])
    assert text(people["ben"]) == '{"day": 1}'
