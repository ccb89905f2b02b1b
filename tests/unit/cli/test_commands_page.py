"""docs/reference/commands.md has every verb with its current help."""

import typer

from autograder.cli.main import HELP, app
from docs.pages import commands


def test_the_page_is_fresh() -> None:
    """`python -m docs.pages.commands` updates it and the sentences of `autograder --help`."""
    assert commands.PAGE.read_text(encoding="utf-8") == commands.page()
    assert HELP.read_text(encoding="utf-8") == commands.sentences()


def test_every_verb_and_option_is_there() -> None:
    """They come from the command line itself; `new` and `gradescope` have two subcommands each."""
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
    """Each is a hidden verb, and the page gives its current name."""
    earlier = {"gradebook", "pack", "simulate", "prove", "publish", "requests", "watch"}
    group = typer.main.get_command(app)
    assert {name for name, verb in group.commands.items() if verb.hidden} == earlier  # type: ignore[attr-defined]
    table = commands.page().split("## Earlier names")[1]
    assert all(f"`{name}" in table for name in earlier)


def test_no_word_of_the_help_is_taken_for_a_tag_or_for_emphasis() -> None:
    """Anything that looks like either is escaped, except in code."""
    assert "OUT/&lt;name>/" in commands.page()
    assert "this submission; \\* and ? match" in commands.page()
