"""docs/reference/kit.md contains all current docstrings of the kit."""

import inspect

from autograder import kit
from docs.pages import kit_page


def test_the_page_is_fresh() -> None:
    """`python -m docs.pages.kit_page` updates it."""
    assert kit_page.PAGE.read_text(encoding="utf-8") == kit_page.page()


def test_every_class_and_function_has_a_heading_and_a_text() -> None:
    """They are in the order of the kit's own list."""
    parts = kit_page.page().split("\n## ")[1:]
    assert [part.split("\n")[0] for part in parts] == ["ANY", *kit_page.names()]
    others = [getattr(kit, name) for name in set(kit.__all__) - set(kit_page.names())]
    assert not any(inspect.isclass(item) or inspect.isfunction(item) for item in others)
    for part in parts[1:]:
        assert part.split("```")[2].strip(), part


def test_a_record_shows_what_it_inherits() -> None:
    """`Exact` inherits `reference`."""
    exact = kit_page.page().split("\n## Exact\n")[1].split("\n## ")[0]
    assert "    reference: Callable[..., Any] = the_solution,\n" in exact
    assert "- `tolerance`: The tolerance for numbers, abs" in exact
    assert "- `reference`: " in exact
