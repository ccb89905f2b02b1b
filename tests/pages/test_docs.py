"""The pages beside the code: fields that exist, commands that exist, links that lead somewhere."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from autograder.authoring.site.documents import topics
from autograder.cli.main import app
from autograder.course import homework
from docs.pages import journey, speed
from tests.benchmarks import table
from tests.everything import LEVELS
from tests.helpers import ROOT
from tests.schemas import schema

DOCS = ROOT / "docs"
WORKFLOW = DOCS / "github-repositories.yml"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def test_the_page_on_the_log_explains_every_field() -> None:
    """It uses the schema's words, with an example."""
    page = (DOCS / "reference" / "submission_log.md").read_text(encoding="utf-8")
    form = schema("submission_log.json")
    assert form["$defs"]["data"]["description"] in page
    defined = [one for name, one in form["$defs"].items() if name != "data"]
    forms = [form, form["properties"]["submission"], *defined]
    for name, one in (item for each in forms for item in each["properties"].items()):
        assert f"| `{name}` | {one['description']} | `" in page, name


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    """Links to our own files lead to existing ones."""
    for link in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (path.parent / link).exists(), link


def test_the_readme_is_short() -> None:
    """A stranger reads it in two minutes; all else is a page of its own."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 450


def test_each_thing_to_add_takes_ten_lines() -> None:
    """A verb, a platform, a check and a homework, without imports; other tests run these examples."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(examples) == 4
    for example in examples:
        lines = [line for line in example.splitlines() if line.strip()]
        assert len([one for one in lines if not one.startswith(("from ", "import "))]) <= 10, (
            example
        )


def test_the_readme_has_the_course_s_hours() -> None:
    """They are the minutes in the notebooks' plans."""
    homeworks = [homework.load(ROOT, name) for name in homework.names(ROOT)]
    hours = round(sum(topic.minutes for topic in topics(homeworks)) / 60)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    words = ("", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    assert f"**{words[len(homeworks)]} graded Jupyter homeworks" in readme
    assert f"about {hours} hours of work" in readme


def test_the_readme_has_the_red_team_s_count() -> None:
    """Of the last full run, the same at all levels, as the red team wrote it."""
    proofs = json.loads((DOCS / "proofs.json").read_text(encoding="utf-8"))
    said = {proofs[f"redteam {level}"]["said"] for level in LEVELS}
    (tried,) = {re.match(r"all levels: (\d+) attacks, \1 got exactly", text)[1] for text in said}  # type: ignore[index]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"each of {tried} hostile or odd submissions got the right mark" in readme


def test_the_readme_has_the_bench_s_ratios() -> None:
    """Of the last run of `make bench`, by the names of its rows."""
    found = json.loads(table.KEPT.read_text(encoding="utf-8"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    nbgrader, otter = (table.times(found, table.TWO, one) for one in (table.NBGRADER, table.OTTER))
    assert f"nbgrader uses {nbgrader:.0f} times as much processor time" in readme
    assert f"otter {otter:.0f} times (hw2" in readme
    demos = [table.times(found, table.DEMOS, one) for one in (table.NBGRADER, table.OTTER)]
    told = "when it runs them, nbgrader takes {:.1f} times as much and otter {:.1f}"
    assert told.format(*demos) in readme


def test_the_page_on_speed_is_fresh() -> None:
    """`make figures` writes it from the same run."""
    assert speed.PAGE.read_text(encoding="utf-8") == speed.page()


def test_the_picture_of_the_journey_is_fresh() -> None:
    """`python -m docs.pages.journey` draws it anew, and each of its stages is a part of the package."""
    assert journey.PICTURE.read_text(encoding="utf-8") == journey.picture()
    stages = [box.title.split(":")[0] for box in journey.BOXES if box.kind == "ours"][:-1]
    assert stages == ["submission", "program", "marking"]
    assert all((ROOT / "autograder" / stage / "__init__.py").is_file() for stage in stages)


def steps() -> list[dict[str, Any]]:
    workflow = yaml.load(WORKFLOW.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    assert set(workflow) == {"name", "on", "permissions", "jobs"}
    (job,) = workflow["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


def test_the_workflow_s_scripts_are_bash() -> None:
    """And each step either uses an action of a version or runs a script."""
    for step in steps():
        assert ("uses" in step) != ("run" in step)
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"])
        else:
            subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True)


def test_the_workflow_s_commands_exist() -> None:
    """This covers each of our verbs and options."""
    verbs = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    lines = [line for step in steps() for line in step.get("run", "").splitlines()]
    commands = [shlex.split(line) for line in lines if line.startswith("autograder ")]
    assert [words[1] for words in commands] == ["grade", "report"]
    for _, verb, *words in commands:
        options = {name for parameter in verbs[verb].params for name in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= options


def test_a_token_is_known_to_the_step_that_fetches_and_to_no_other() -> None:
    """Student code runs in another one, in a sandbox with an environment of its own."""
    with_token = [step["name"] for step in steps() if "TOKEN" in str(step)]
    assert with_token == ["Fetch the submissions"]
    (checkout,) = (step for step in steps() if "checkout" in step.get("uses", ""))
    assert checkout["with"]["persist-credentials"] == "false"
