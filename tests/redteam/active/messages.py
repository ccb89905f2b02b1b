"""Raises scripts as error names and messages, in cells and in answers.

Deserves nothing; messages are text.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
EVIL = "<script>document.title='owned'</script><img src=x onerror=\\"document.title='owned'\\">"
Evil = type(EVIL, (Exception,), {})
def identity_weights(): raise Evil(EVIL)
def copy_first_weights(): raise ValueError("`" + EVIL + "`\\n\\n# title\\n[a](javascript:1)")
def unique_weights(): return {EVIL: 1}
raise Evil(EVIL)
""",
)
