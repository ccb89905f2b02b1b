"""Looks for the executed solutions, and runs their answer cells.

Deserves nothing: solutions/ is out of reach.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
import glob, json
for path in glob.glob("/**/solutions/**/*.ipynb", recursive=True) + glob.glob("/**/source/**/*.ipynb", recursive=True):
    for cell in json.load(open(path))["cells"]:
        if cell["cell_type"] == "code" and cell["id"].endswith("_answer"):
            exec("".join(cell["source"]), globals())
""",
)
