"""outputs: a kernel's messages become a notebook's outputs, within a submission's share."""

from typing import Any

from autograder.sandbox.inside.outputs import CUT, Outputs


def taken(*messages: tuple[str, dict[str, Any]], left: int = 1_000) -> Outputs:
    """Return the outputs after one cell's messages, each of its text's size."""
    outputs = Outputs(left)
    outputs.begin(0, "request 0")
    for kind, content in messages:
        say(outputs, kind, content)
    return outputs


def say(outputs: Outputs, kind: str, content: dict[str, Any], cell: int = 0) -> None:
    text = content.get("text") or content.get("data", {}).get("text/plain", "")
    outputs.take(
        kind, dict(content), f"request {cell}", len(text) or (100 if kind == "error" else 0)
    )


def stream(text: str, name: str = "stdout") -> tuple[str, dict[str, Any]]:
    return "stream", {"name": name, "text": text}


def shown(text: str, name: str | None = None) -> tuple[str, dict[str, Any]]:
    transient = {"display_id": name} if name else {}
    return "display_data", {"data": {"text/plain": text}, "metadata": {}, "transient": transient}


def update(text: str, name: str) -> tuple[str, dict[str, Any]]:
    return "update_display_data", shown(text, name)[1]


def texts(outputs: Outputs, cell: int = 0) -> list[str]:
    kept = outputs.finish()[cell]
    return [o["text"] if o["output_type"] == "stream" else o["data"]["text/plain"] for o in kept]


def test_a_display_is_an_output() -> None:
    """A message's content is kept, except for parts that only a live page needs."""
    assert taken(shown("a", "name")).finish() == {
        0: [{"output_type": "display_data", "data": {"text/plain": "a"}, "metadata": {}}]
    }


def test_streams_that_follow_each_other_are_one() -> None:
    """Two names stay separate."""
    said = taken(stream("a"), stream("b"), stream("c", "stderr"), stream("d"))
    assert texts(said) == ["ab", "c", "d"]


def test_what_goes_beyond_the_share_is_cut() -> None:
    """Text ends in place, with one line about it; pictures that do not fit are left out."""
    said = taken(stream("a" * 8), shown("b" * 5), stream("c" * 5), stream("d"), left=10)
    assert texts(said) == ["a" * 8 + "cc" + CUT]


def test_what_is_cleared_gives_its_room_back() -> None:
    """An animation of a thousand pictures keeps one."""
    frames = [message for n in range(100) for message in (shown(f"{n:08}"), clear(wait=False))]
    assert texts(taken(*frames, shown("the end"), left=10)) == ["the end"]


def clear(*, wait: bool) -> tuple[str, dict[str, Any]]:
    return "clear_output", {"wait": wait}


def test_clearing_waits_for_the_next_output() -> None:
    """With wait, outputs stay until the next one arrives."""
    assert texts(taken(stream("a"), clear(wait=True))) == ["a"]
    assert texts(taken(stream("a"), clear(wait=True), stream("b"))) == ["b"]
    assert texts(taken(stream("a"), clear(wait=True), update("x", "none"))) == ["a"]


def test_an_update_reaches_an_earlier_cell() -> None:
    """The earlier cell's outputs are sent again, before those of the cell that changed them."""
    outputs = taken(shown("first", "name"), stream("text"))
    outputs.begin(1, "request 1")
    say(outputs, *update("second", "name"), cell=1)
    assert list(outputs.finish()) == [0, 1]
    assert texts(outputs, 0) == ["second", "text"]
    outputs.begin(2, "request 2")
    assert list(outputs.finish()) == [2]


def test_an_update_that_grows_keeps_to_the_share() -> None:
    """A larger display replaces another only if there is room."""
    assert texts(taken(shown("a", "n"), update("b" * 10, "n"), left=10)) == ["b" * 10]
    assert texts(taken(shown("a", "n"), update("b" * 11, "n"), left=10)) == ["a"]


def test_a_cleared_display_is_not_updated() -> None:
    """Clearing forgets its name."""
    assert texts(taken(shown("a", "n"), clear(wait=False), update("b", "n"))) == []


def test_what_belongs_to_an_earlier_cell_is_dropped() -> None:
    """A task of an earlier cell has no output in this one."""
    outputs = taken()
    outputs.begin(1, "request 1")
    say(outputs, *stream("late"), cell=0)
    say(outputs, *stream("now"), cell=1)
    assert texts(outputs, 1) == ["now"]


def test_an_error_is_always_said_and_short() -> None:
    """It survives even if the share is used up; a recursion keeps its beginning and end."""
    trace = [f"place {n}" for n in range(1_000)]
    error = ("error", {"ename": "E", "evalue": "x" * 5_000, "traceback": trace})
    outputs = taken(stream("a" * 20), *[error] * 3, left=10)
    kept = outputs.finish()[0]
    assert [output["output_type"] for output in kept] == ["stream", "error"]
    assert outputs.error == {"name": "E", "message": "x" * 2_000}
    lines = kept[1]["traceback"]
    assert (lines[0], lines[-1], len(lines)) == ("place 0", "place 999", 51)
    assert lines[10] == "[950 places left out here]\n"
