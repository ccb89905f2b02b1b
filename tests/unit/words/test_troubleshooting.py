"""docs/reference/troubleshooting.md: every message of the code is there, and no other."""

import ast
import re
from pathlib import Path

import pytest

from docs.pages import message_groups
from docs.pages.messages_page import (
    GROUPS,
    HEAD,
    PACKAGE,
    PAGE,
    PRINTED,
    RAISED,
    Module,
    modules,
    section,
    sentences,
)

WRITTEN = PAGE.read_text(encoding="utf-8")
PARTS = [part.relative_to(PACKAGE).as_posix() for part in sorted(PACKAGE.glob("[!_]*"))]


def test_the_page_has_its_sections() -> None:
    """They are in the order of the groups."""
    assert WRITTEN.startswith(HEAD)
    assert re.findall(r"^## (.+)$", WRITTEN, re.MULTILINE) == list(GROUPS)


@pytest.mark.parametrize("title", GROUPS)
def test_a_section_is_fresh(title: str) -> None:
    """`python -m docs.pages.messages_page` writes it anew."""
    (own,) = re.findall(rf"\n(## {re.escape(title)}\n.*?)(?=\n## |\Z)", WRITTEN, re.DOTALL)
    assert own.strip() == section(title, sentences()).strip()


def test_each_module_is_in_one_group() -> None:
    """No message may be in two places, or in none."""
    listed = [path for title in GROUPS for path in modules(title)]
    assert sorted(listed) == sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("name", message_groups.RETURNED)
def test_functions_that_are_named_exist(name: str) -> None:
    """This covers functions that compose messages."""
    tree = ast.parse((PACKAGE / name).read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert set(message_groups.RETURNED[name]) <= defined


@pytest.mark.parametrize("part", PARTS)
def test_what_is_raised_or_printed_in_one_piece_is_on_the_page(part: str) -> None:
    """This search differs from the page's: it looks for the longest fixed part of each text."""
    place = PACKAGE / part
    for path in place.rglob("*.py") if place.is_dir() else [place]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and _ends(node.func) in RAISED | PRINTED:
                text = max(_fixed(node.args[0]), key=len, default="")
                if len(re.findall(r"[a-z]{2,}", text)) >= 4:
                    assert text.strip() in WRITTEN, f"{path}:{node.lineno}"


def test_a_message_is_followed_to_where_its_words_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through names, other functions, both ends of a condition, and parts that are added."""
    module = tmp_path / "module.py"
    monkeypatch.setattr("docs.pages.messages_page.PACKAGE", tmp_path)
    module.write_text(
        '''
ADVICE = "give it another name"
def why(x):
    """A docstring is no message."""
    return "it is far too long" if x else "it is empty here"
def one(path, complaints):
    line = f"note: {path} is old"
    stderr.print(line)
    complaints.append(f"{path}: {why(path)}; " + "look at it again")
    if path:
        raise UserError(why(path))
    raise HomeworkError(f"{path}: a name is taken; {ADVICE}")
    raise ValueError("this is no message")
'''
    )
    assert list(Module(module).messages()) == [
        "note: … is old",
        "…: …; look at it again",
        "it is far too long",
        "it is empty here",
        "…: a name is taken; give it another name",
    ]


def _ends(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if text == "stderr.print" else text.split(".")[-1]


def _fixed(node: ast.AST) -> list[str]:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return [
        one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]
