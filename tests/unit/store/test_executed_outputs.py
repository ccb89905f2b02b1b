"""executed: the text and the picture of an output, whatever form it is stored in."""

from typing import Any

import pytest

from autograder.store.executed import picture_of, text_of


@pytest.mark.parametrize(
    ("output", "text", "picture"),
    [
        ({"output_type": "stream", "text": "one\n"}, "one\n", ""),
        ({"output_type": "stream", "text": ["one\n", "two"]}, "one\ntwo", ""),
        ({"data": {"text/plain": "3", "text/html": "<b>3</b>"}}, "3", ""),
        ({"data": {"text/plain": ["a", "b"], "image/png": ["iVBO", "Rw0K"]}}, "ab", "iVBORw0K"),
        ({"data": {"image/png": "iVBO"}}, "", "iVBO"),
        ({"traceback": ["Traceback", "  line 1\n", "\x1b[31mNameError\x1b[0m: x"]},
         "Traceback\n  line 1\nNameError: x\n", ""),
        ({"traceback": "no list"}, "no list", ""),
        ({"data": None, "text": ""}, "", ""),
        ({}, "", ""),
    ],
)  # fmt: skip
def test_an_output_has_text_and_a_picture(output: dict[str, Any], text: str, picture: str) -> None:
    """Lists are joined, each line of a traceback is its own, and neither HTML nor colours are left."""
    assert (text_of(output), picture_of(output)) == (text, picture)
