"""docs/reference/commands.md: every verb, as its help describes it today."""

import typer

from autograder.cli.main import app
from tests.pages import commands


def test_the_page_is_fresh() -> None:
    """`python -m tests.pages.commands` writes it anew."""
    assert commands.PAGE.read_text(encoding="utf-8") == commands.page()


def test_every_verb_and_option_is_there() -> None:
    """As the command line knows them; `new` and `gradescope` have two verbs of their own each."""
    page = commands.page()
    group = typer.main.get_command(app)
    every = dict(group.commands)  # type: ignore[attr-defined]
    verbs = {name: verb for name, verb in every.items() if not verb.hidden}
    for name in ("new", "gradescope"):
        verbs |= {f"{name} {one}": verb for one, verb in verbs.pop(name).commands.items()}
    assert len(verbs) > 15
    for name, verb in verbs.items():
        part = page.split(f"## autograder {name}\n")[1].split("\n## ")[0]
        assert verb.help
        for parameter in verb.params:
            named = parameter.opts if parameter.param_type_name == "option" else [parameter.metavar]
            assert all(f"{one}" in part for one in named if one), (name, named)


def test_earlier_names_still_work() -> None:
    """Each is a hidden verb, and the page says what it is called now."""
    earlier = {"gradebook", "pack", "simulate", "prove", "publish", "requests", "watch"}
    group = typer.main.get_command(app)
    assert {name for name, verb in group.commands.items() if verb.hidden} == earlier  # type: ignore[attr-defined]
    table = commands.page().split("## Earlier names")[1]
    assert all(f"`{name}" in table for name in earlier)


def test_no_word_of_the_help_is_taken_for_a_tag_or_for_emphasis() -> None:
    """What looks like either is escaped, outside of code."""
    assert "OUT/&lt;name>/" in commands.page()
    assert "this submission; \\* and ? match" in commands.page()
