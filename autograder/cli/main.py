"""The program `autograder`: its verbs in the order of its help."""

import typer

from autograder.cli import authoring, gradescope, grading, marking
from autograder.cli.shared import complain
from autograder.model import UserError
from autograder.sandbox.supervisor import Sandbox

app = typer.Typer(
    help="Grade transformer homework, and write it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for part in (grading, marking, authoring, gradescope):
    app.add_typer(part.verbs)


def main(sandbox: Sandbox | None = None) -> None:
    """Run the command line; a UserError is one line and exit status 2.

    Args:
        sandbox: One that was launched already, for a verb that can use it.
    """
    try:
        app(obj=sandbox)
    except UserError as error:
        complain(str(error))
        raise SystemExit(2) from None
