"""The program `autograder`: the core's verbs and those of each installed wing."""

import functools
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from autograder import __version__
from autograder.cli import plugins

if TYPE_CHECKING:
    from autograder.sandbox.supervisor import Sandbox

HELP = Path(__file__).with_name("help.toml")
"""Wing -> verb -> the first paragraph of its help; `python -m docs.pages.commands` writes it."""


class Verbs(TyperGroup):
    """The verbs of all wings: a call imports only its own wing, and the help imports none of them."""

    def __init__(self, **words: Any) -> None:
        super().__init__(**words)
        del self.commands  # the attribute would hide the property below

    @functools.cached_property
    def commands(self) -> dict[str, Any]:  # type: ignore[override]
        """Import every wing."""
        return {name: verb for load in self._wings.values() for name, verb in _verbs(load)}

    @functools.cached_property
    def _wings(self) -> Mapping[str, Callable[[], Any]]:
        return installed()

    @functools.cached_property
    def _told(self) -> Mapping[str, Mapping[str, str]]:
        told = tomllib.loads(HELP.read_text(encoding="utf-8"))
        return {wing: told[wing] for wing in self._wings if wing in told}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return a verb, importing only the wing that has it."""
        if "commands" not in vars(self):
            for wing, verbs in self._told.items():
                if cmd_name in verbs:
                    return dict(_verbs(self._wings[wing]))[cmd_name]
        return self.commands.get(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help; our own verbs appear with just a name and a sentence."""
        self.commands = {}
        for wing, load in self._wings.items():
            told = self._told.get(wing)
            self.commands |= (
                {name: TyperCommand(name, help=said) for name, said in told.items()}
                if told
                else dict(_verbs(load))
            )
        super().format_help(ctx, formatter)


def installed() -> Mapping[str, Callable[[], Any]]:
    """Return the loaders of the core's verbs and of each wing's, by name."""
    return {"core": _core, **plugins.wings()}


def _verbs(load: Callable[[], Any]) -> Iterator[tuple[str, Any]]:
    group: Any = typer.main.get_group(load())
    yield from group.commands.items()


def _core() -> typer.Typer:
    from autograder.cli import grading, report, unattended

    core = typer.Typer()
    for part in (grading, report, unattended):
        core.add_typer(part.verbs)
    return core


app = typer.Typer(
    cls=Verbs,
    help="Grade transformer homework, and write new homework.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    """Print the version and exit before any verb is looked up."""
    if wanted:
        typer.echo(f"autograder {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Accept the options before a verb."""


def main(sandbox: "Sandbox | None" = None) -> None:
    """Run the command line; an error prints one line. Some verbs can use a launched sandbox."""
    try:
        app(obj=sandbox)
    except Exception as error:
        from autograder.cli.shared import end_of

        raise end_of(error) from None
