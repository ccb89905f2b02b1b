"""Shows HTML, JavaScript, SVG, LaTeX and widgets as outputs, and prints escapes.

Deserves nothing; what staff and students open runs nothing.
"""

from tests.redteam.attack import NOTHING, edited, wrong

DESERVES = NOTHING
submission = edited(
    wrong,
    last="""\
from IPython.display import HTML, Javascript, SVG, Latex, Markdown, display
evil = "<script>document.title='owned'</script><img src=x onerror=\\"document.title='owned'\\">"
display(HTML(evil), Javascript("document.title='owned'"), Latex(evil), Markdown(evil))
display(SVG(f"<svg xmlns='http://www.w3.org/2000/svg' onload=\\"document.title='owned'\\"></svg>"))
display({"application/vnd.jupyter.widget-view+json": {"model_id": "a"}, "text/plain": evil}, raw=True)
print(evil)
print("\\x1b]8;;javascript:document.title='owned'\\x07click\\x1b]8;;\\x07")
""",
)
