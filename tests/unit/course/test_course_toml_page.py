"""docs/reference/course_toml.md explains every key of course.toml."""

import tomllib

import msgspec
import pytest

from autograder.course import course
from docs.pages import course_toml
from tests.helpers import ROOT


def test_the_page_is_fresh() -> None:
    """`python -m docs.pages.course_toml` updates it."""
    assert course_toml.PAGE.read_text(encoding="utf-8") == course_toml.page()


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("The file", course.Course),
        ("`[late]`", course.Late),
        ("`[gradescope]`", course.Platform),
        ("`[rules]`", course.Rules),
        ("`[total]`", course.TotalRules),
        ("`[homework.NAME]`", course.Due),
    ],
)
def test_every_key_is_explained(title: str, kind: type[msgspec.Struct]) -> None:
    """Each is in its table, or has a table of its own."""
    page = course_toml.page()
    part = page.split(f"## {title}\n")[1].split("\n## ")[0]
    for field in msgspec.structs.fields(kind):
        row = f"| `{field.name}` |"
        if field.name in course_toml.NOT_FROM_HERE:
            assert row not in part
        elif row in part:
            line = part.split(row)[1].split("\n")[0]
            assert line.split(" | ")[-1].strip(" |")
        else:
            assert f"## `[{field.name}" in page


def test_the_keys_of_this_course_are_there() -> None:
    """A key that course.toml uses is on the page."""
    page = course_toml.page()
    for key in tomllib.loads((ROOT / "course.toml").read_text(encoding="utf-8")):
        assert f"`{key}`" in page or f"`[{key}]`" in page
