"""The program `autograder`: the core's verbs, and those of each wing that is installed."""

from typing import Annotated

import typer

from autograder import __version__
from autograder.cli import grading, plugins, report, unattended
from autograder.cli.shared import complain, say
from autograder.records.errors import UserError
from autograder.sandbox.run import SandboxFault
from autograder.sandbox.supervisor import Sandbox
from autograder.store import files

app = typer.Typer(
    help="Grade transformer homework, and write it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for core in (grading, report, unattended):
    app.add_typer(core.verbs)
for wing in plugins.verbs():
    app.add_typer(wing)


def _print_version(wanted: bool) -> None:
    """Print the version and end, before a verb is looked for."""
    if wanted:
        say(f"autograder {__version__}")
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
    """Take the options before a verb."""


def main(sandbox: Sandbox | None = None) -> None:
    """Run the command line; what goes wrong is one line.

    The exit status is 2 for a UserError and for a full disk, and 1 for a fault of our own.

    Args:
        sandbox: One that was launched already, for a verb that can use it.
    """
    try:
        app(obj=sandbox)
    except UserError as error:
        complain(str(error))
        raise SystemExit(2) from None
    except SandboxFault as error:
        complain(f"stopped, because the grader itself fails: {error}")
        raise SystemExit(1) from None
    except OSError as error:
        if error.errno not in files.FULL:
            raise
        where = f" ({error.filename})" if error.filename else ""
        complain(f"the disk is full{where}; make space, and run the same command again")
        raise SystemExit(2) from None
