"""The program `autograder`: it starts the slowest part before importing anything else."""

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - what is imported next would end in a traceback
    sys.exit(f"autograder: Python 3.11 or newer is needed; this is {sys.version.split()[0]}")


def main() -> None:
    """Run the command line."""
    with contextlib.ExitStack() as stack:
        sandbox = None
        if _grades_one_file(sys.argv[1:]):
            from autograder.sandbox.run import SandboxFault
            from autograder.sandbox.supervisor import Sandbox

            sandbox = stack.enter_context(Sandbox())
            with contextlib.suppress(SandboxFault):  # its first use reports the same fault
                sandbox.launch(_warm(sys.argv[2]))
        from autograder.cli.main import main as run

        run(sandbox)


def _grades_one_file(words: Sequence[str]) -> bool:
    """Return whether the command grades one submission on this machine; a wrong guess does no harm."""
    files = [word for word in words[1:] if Path(word).suffix in (".ipynb", ".py", ".json")]
    return words[:1] == ["grade"] and len(files) == 1 and "--scheduler" not in words


def _warm(name: str) -> tuple[str, ...]:
    """Guess which modules a homework in this folder's course imports."""
    from autograder.course import homework

    courses = (
        folder for folder in (Path.cwd(), *Path.cwd().parents) if (folder / "source").is_dir()
    )
    return homework.warm(next(courses, Path()), name)


if __name__ == "__main__":
    main()
