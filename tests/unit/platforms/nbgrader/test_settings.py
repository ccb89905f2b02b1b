"""settings: the gradebook's place, whatever characters its path contains."""

from pathlib import Path

import pytest
import sqlalchemy
from traitlets.config import Config

from autograder.platforms.nbgrader import settings
from autograder.records.errors import UserError

ODD = ["a?b", "a?b=c&d", "a#b", "a%20b", "100 %", "a b", "Übung", "a;b", "a@b:c", "sqlite"]
KIT = "from autograder.platforms.nbgrader.settings import use_kit\nuse_kit(get_config())\n"


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(
    "config", ["", KIT, "get_config().CourseDirectory.db_url = 'sqlite:///gradebook.db'"]
)
def test_the_gradebook_is_in_the_course(tmp_path: Path, name: str, config: str) -> None:
    """A URL ends at a question mark, but a path does not."""
    root = tmp_path / name
    root.mkdir()
    if config:
        (root / settings.CONFIG).write_text(config)
    url = settings.gradebook_url(root)
    assert settings.is_file(url)
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("create table a (b)"))
    engine.dispose()
    assert (root / "gradebook.db").is_file()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert settings.url_of(str(root / "gradebook.db")) == url


@pytest.mark.parametrize("name", ODD)
def test_nbgrader_opens_the_same_gradebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It uses the course's path unchanged in a URL, unless one is set."""
    (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / name)
    c = Config()
    c.CourseDirectory.ignore = []
    c.GenerateAssignment.preprocessors = []
    c.GenerateFeedback.preprocessors = []
    settings.use_kit(c)
    theirs = c.CourseDirectory.get("db_url", f"sqlite:///{Path.cwd() / 'gradebook.db'}")
    assert sqlalchemy.make_url(theirs).database == str(Path.cwd() / "gradebook.db")
    c.CourseDirectory.db_url = "sqlite:///other.db"
    settings.use_kit(c)
    assert c.CourseDirectory.db_url == "sqlite:///other.db"


def test_a_database_at_a_server_stays(tmp_path: Path) -> None:
    """A failing configuration gives one line."""
    (tmp_path / settings.CONFIG).write_text(
        "get_config().CourseDirectory.db_url = 'postgresql+psycopg://me:secret@host/book?a=b'"
    )
    url = settings.gradebook_url(tmp_path)
    assert (url.host, url.database, url.password) == ("host", "book", "secret")
    (tmp_path / settings.CONFIG).write_text("1 / 0")
    with pytest.raises(UserError, match=r"nbgrader_config.py: ZeroDivisionError"):
        settings.gradebook_url(tmp_path)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("marks.db", "sqlite:///{here}/marks.db"),
        ("sqlite:///marks.db", "sqlite:///{here}/marks.db"),
        ("sqlite:///marks.db?timeout=5", "sqlite:///{here}/marks.db?timeout=5"),
        ("/a/marks.db", "sqlite:////a/marks.db"),
        ("sqlite://", "sqlite://"),
        ("postgresql://me:secret@host/marks", "postgresql://me:secret@host/marks"),
    ],
)
def test_a_gradebook_means_the_same_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, means: str
) -> None:
    """A job in a folder of its own opens the file that a person named; a server's password stays."""
    monkeypatch.chdir(tmp_path)
    assert settings.absolute(text) == means.format(here=tmp_path)


def test_what_is_no_gradebook_is_one_line() -> None:
    with pytest.raises(UserError, match=r"--gradebook ://x: it is no URL; write a file"):
        settings.absolute("://x")
