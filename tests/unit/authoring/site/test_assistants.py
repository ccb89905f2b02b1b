"""assistants: each rule of course.toml becomes a text for AI assistants that gives nothing away."""

import shutil
from pathlib import Path

import pytest

from autograder.authoring import release
from autograder.authoring.site import assistants, documents
from autograder.course import course, homework
from autograder.records.errors import UserError
from tests.helpers import TOY

NAME = "toy"


def copied(tmp_path: Path, rules: str) -> Path:
    """Return a copy of the toy course whose course.toml has these rules."""
    root = shutil.copytree(TOY, tmp_path / "course").resolve()
    settings = root / "course.toml"
    settings.write_text(rules + settings.read_text(encoding="utf-8"), encoding="utf-8")
    return root


def text_of(root: Path) -> str:
    return release.release_files(root, NAME)[Path(assistants.FILE)].decode()


@pytest.mark.parametrize(
    ("rule", "said", "unsaid"),
    [
        ("allowed", "Write code with the student", "Write, complete or correct"),
        ("hints", "Write, complete or correct `count_positive`", "Write code with"),
        ("not allowed", "doesn't allow your help", "Point at a hint"),
    ],
)
def test_each_rule_has_its_text(tmp_path: Path, rule: str, said: str, unsaid: str) -> None:
    """The release contains it, and so do the files that point to it."""
    root = copied(tmp_path, f'ai = "{rule}"\n')
    text = text_of(root)
    assert said in text
    assert unsaid not in text
    assert "Write or rephrase the text of `argue`" in text
    made = release.release_files(root, NAME)
    assert {made[Path(name)] for name in assistants.ALIASES} == {b"@AGENTS.md\n"}


def test_the_policy_page_says_the_same(tmp_path: Path) -> None:
    """One setting serves both readers."""
    root = copied(tmp_path, 'ai = "hints"\n')
    pages = documents.documents(course.read(root), [homework.load(root, NAME)])
    (policy,) = (page.markdown for page in pages if page.path.name == "policy.html")
    assert "an assistant may explain and ask back" in policy
    assert "`AGENTS.md`" in policy


def test_a_course_without_a_rule_says_nothing(tmp_path: Path) -> None:
    """No policy is guessed."""
    root = copied(tmp_path, "")
    assert Path(assistants.FILE) not in release.release_files(root, NAME)


def test_each_homework_can_have_its_own(tmp_path: Path) -> None:
    """A table sets the rules by homework."""
    root = copied(tmp_path, f'ai = {{ {NAME} = "allowed" }}\n')
    assert "Write code with the student" in text_of(root)


def test_a_table_has_a_rule_for_all_others(tmp_path: Path) -> None:
    """An exception for one homework leaves no other without a rule."""
    rules = course.read(copied(tmp_path, f'ai = {{ default = "hints", {NAME} = "allowed" }}\n'))
    assert (rules.ai_rule(NAME), rules.ai_rule("other")) == ("allowed", "hints")


def test_a_new_rule_makes_the_release_stale(tmp_path: Path) -> None:
    """Students must not keep an earlier term's rule."""
    root = copied(tmp_path, 'ai = "hints"\n')
    assert release.stale_release(root, NAME) == f"release/{NAME}/AGENTS.md is missing"
    release.write_release(root, NAME)
    assert release.stale_release(root, NAME) is None


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ('ai = "no"\n', "write one of allowed, hints, not allowed"),
        ('ai = { toy = "no" }\n', "write one of allowed, hints, not allowed"),
        ('ai = { week9 = "hints" }\n', "week9 is not a homework"),
        (f'ai = {{ {NAME[:2]} = "hints" }}\n', f"did you mean {NAME}?"),
    ],
)
def test_an_unknown_rule_or_homework_is_refused(tmp_path: Path, rules: str, said: str) -> None:
    """A typo gives one clear line."""
    with pytest.raises(UserError, match=said):
        course.read(copied(tmp_path, rules))
