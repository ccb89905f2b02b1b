"""Open a gradebook, and get exclusive access to it for a change."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from autograder.platforms.nbgrader import hand_marks as tables
from autograder.platforms.nbgrader.settings import url_of
from autograder.records.errors import UserError

Gradebook = str | sqlalchemy.URL
"""SQLAlchemy's URL of a gradebook; a path alone is a SQLite file."""
WAIT_SECONDS = 30.0
"""The time to wait for a different writer before the database counts as locked."""


def connect(url: Gradebook) -> sqlalchemy.Engine:
    """Open an existing gradebook, with our tables beside nbgrader's.

    Raises:
        UserError: it is missing, unreachable, or not a gradebook.
    """
    fill = "run `autograder mark D --fill` first, which fills it"
    try:
        made = url_of(url)
        is_sqlite = made.get_backend_name() == "sqlite"
        if is_sqlite and not Path(str(made.database)).is_file():
            raise UserError(f"{made.database}: there is no such gradebook; {fill}")
        arguments = {"timeout": WAIT_SECONDS} if is_sqlite else {}
        engine = sqlalchemy.create_engine(made, connect_args=arguments)
        if is_sqlite:
            sqlalchemy.event.listen(engine, "connect", _leave_transactions_to_us)
            sqlalchemy.event.listen(engine, "begin", _begin)
        if "submitted_notebook" not in sqlalchemy.inspect(engine).get_table_names():
            raise UserError(f"{made.render_as_string()} is not a gradebook; {fill}")
        with engine.connect().execution_options(writes=True) as connection, connection.begin():
            tables.OURS.create_all(connection)
    except (SQLAlchemyError, ImportError, OSError) as error:
        lines = str(getattr(error, "orig", None) or error).strip().split("\n")
        raise UserError(f"the gradebook cannot be opened: {lines[0]}") from error
    return engine


def _leave_transactions_to_us(connection: Any, _: object) -> None:
    """Keep Python's driver from starting transactions by its own rules."""
    connection.isolation_level = None


def _begin(connection: sqlalchemy.Connection) -> None:
    """Begin as a writer if one was announced, since SQLite refuses readers that become writers."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextlib.contextmanager
def writing(engine: sqlalchemy.Engine) -> Iterator[sqlalchemy.Connection]:
    """Reserve the database for one writer; raise UserError if another writer is too slow."""
    try:
        connection = engine.connect().execution_options(writes=True)
        with connection, connection.begin():
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("LOCK TABLE autograder_hand_mark IN EXCLUSIVE MODE")
            yield connection
    except OperationalError as error:
        reason = str(error.orig).split("\n")[0]
        raise UserError(f"the gradebook cannot be written: {reason}; try it again") from error
