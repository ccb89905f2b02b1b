"""Uses the magics that write files, run shells, reset the namespace and swallow outputs.

Deserves everything: the answers are right, and only the last cell is odd.
"""

from tests.redteam.attack import EVERYTHING, edited, right

DESERVES = EVERYTHING
submission = edited(
    right,
    last="""\
%%capture said
%config InlineBackend.figure_format = 'svg'
%env REDTEAM=1
%timeit -n1 -r1 1 + 1
get_ipython().run_cell_magic("writefile", "results.json", '{"score": 1000}')
get_ipython().run_cell_magic("bash", "", "echo '{}' > submission_log.json; cd /; touch redteam-left")
!touch ../redteam-left /tmp/redteam-left /dev/shm/redteam-left
%xmode Minimal
""",
)
