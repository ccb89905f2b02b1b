"""What this site adds to Sphinx: formulas as MathML, and the last full counts as tables."""

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tests import everything

STAR = r" \*"
PROOFS = Path(__file__).parent / "proofs.json"
TRIED = re.compile(r"\w+: \d+ tables, ([\d,]+) things tried, (\d+) tables fell short, \d+ s")


class Counts(SphinxDirective):
    """Show docs/proofs.json: what each full count printed, when, and of which commit."""

    def run(self) -> list[nodes.Node]:
        """Return the tables."""
        self.env.note_dependency(str(PROOFS))
        proofs = json.loads(PROOFS.read_text(encoding="utf-8"))
        old = {count.name for count in everything.counts() if everything.is_old(count)}
        return self.parse_text_to_nodes(tables(proofs, old))


def tables(proofs: Mapping[str, Mapping[str, Any]], old: Collection[str]) -> str:
    """Return the counts as Markdown: first the tables of `make truth`, then all others.

    Args:
        proofs: By the name of a count: what it said, whether all was well, date and commit.
        old: Names of those that rest on something that has changed since.
    """
    truth = {
        tuple(name.split()[1:]): (proof, match)
        for name, proof in proofs.items()
        if name.startswith("truth ") and (match := TRIED.fullmatch(proof["said"]))
    }
    homeworks = sorted({homework for homework, _ in truth})
    parts = list(dict.fromkeys(part for _, part in truth))
    lines = [
        "Each number counts what the table tried; a dash means that there is no full count. "
        "A star means that the count is out of date, because something that it tests has changed.",
        "",
        "| Table | " + " | ".join(name.split("_")[0] for name in homeworks) + " |",
        "|---" * (len(homeworks) + 1) + "|",
    ]
    for part in parts:
        cells = [
            _tried(*truth[name, part]) + STAR * (f"truth {name} {part}" in old)
            if (name, part) in truth
            else "–"
            for name in homeworks
        ]
        lines.append(f"| {part.replace('_', ' ')} | " + " | ".join(cells) + " |")
    lines += ["", "| Count | What it printed last | Date | Commit |", "|---|---|---|---|"]
    for name, proof in proofs.items():
        said = proof["said"].replace("|", "\\|")
        well = "" if proof["well"] else "**fell short:** "
        date = proof["date"] + STAR * (name in old)
        lines.append(f"| {name} | {well}{said} | {date} | `{proof['commit']}` |")
    return "\n".join(lines)


def _tried(proof: Mapping[str, Any], match: re.Match[str]) -> str:
    return match[1] if proof["well"] and match[2] == "0" else f"{match[1]}, **fell short**"


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _display(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(tex2mathml(node.astext(), as_block=True))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the parts to Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.add_directive("counts", Counts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
