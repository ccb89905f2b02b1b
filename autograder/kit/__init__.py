"""All names that files in staff/ import. None of them knows a homework, an answer or a mark.

In spec.py: `Question` defines what is evaluated (`Homework`, `Limits` and `Ask` add details); a
check judges the result: `Close` (numbers near a reference's, within a `tolerance`), `NoLoop` (like
`Close`, without Python loops), `Exact` (any plain data), `Text`, `Table` (of pandas), `Raises`,
`Prints`, `Picture` (of matplotlib), `Steps` (a class with state), `Property` (for many right
values), `SameGrowth` and `LinearInLength` (an algorithm's costs), `Draws` (random draws: their mean
and variance), `Unbiased` (an estimate from them), `Derivation` (line by line), `Accurate` and
`Within` (trained weights), `Asserted` (the question's own nbgrader test cell), `Parts` (several of
these, each a `Part` with points), or your own class, derived from `Check`, that returns a
`Verdict`.

`Question("mean", Close(reference.mean), cases)` calls the function of its own name with the inputs,
and compares the result. A check without a reference compares with the notebook's own solution,
which proves less. Only special cases need an adapter: `use=adapters.running`.

In adapters.py, which runs beside student code: `plain`, `number`, `several` and `named` read an
answer's result in any usual form, `watched` notices if a function changes its arguments, `Lines`
evaluates a derivation for the check `Derivation`, and `Refused` is the sentence for a student whose
value is unusable.

In lab.py: `Row`, a measured figure beside a published one.
"""

from autograder.kit.checks import Close, tolerance
from autograder.kit.costs import LinearInLength, NoLoop, SameGrowth, growing_points
from autograder.kit.derivation import Derivation
from autograder.kit.exact import Exact, Property, Text
from autograder.kit.lines import Lines
from autograder.kit.nbgrader_test import Asserted
from autograder.kit.notebook.plain_data import ANY
from autograder.kit.output_checks import Picture, Prints, Raises, Steps, Table
from autograder.kit.parts import Part, Parts
from autograder.kit.random_draws import Draws, Unbiased
from autograder.kit.weight_checks import Accurate, Row, Within
from autograder.records.errors import UserError
from autograder.records.homework import Homework, Limits, LogAnswers, LogField
from autograder.records.questions import (
    Array,
    Ask,
    AuthorsFunction,
    Check,
    Heatmap,
    Inputs,
    Question,
    Value,
    Verdict,
    no_array,
    one_case,
)
from autograder.records.values import Refused, named, number, plain, several, watched

__all__ = [
    "ANY",
    "Accurate",
    "Array",
    "Ask",
    "Asserted",
    "AuthorsFunction",
    "Check",
    "Close",
    "Derivation",
    "Draws",
    "Exact",
    "Heatmap",
    "Homework",
    "Inputs",
    "Limits",
    "LinearInLength",
    "Lines",
    "LogAnswers",
    "LogField",
    "NoLoop",
    "Part",
    "Parts",
    "Picture",
    "Prints",
    "Property",
    "Question",
    "Raises",
    "Refused",
    "Row",
    "SameGrowth",
    "Steps",
    "Table",
    "Text",
    "Unbiased",
    "UserError",
    "Value",
    "Verdict",
    "Within",
    "growing_points",
    "named",
    "no_array",
    "number",
    "one_case",
    "plain",
    "several",
    "tolerance",
    "watched",
]
