"""probe: a student's objects become plain arrays, or a refusal that tells why."""

import functools
import threading
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.flop_counter import FlopCounterMode

from autograder.records.data import decode_array, encode_value
from autograder.records.values import Refused
from autograder.sandbox.inside.evaluate import answer, withdraw


def refuse(thing: object) -> None:
    raise Refused("not like this")


ADAPTERS = {
    "give": lambda thing: {"x": thing},
    "call": lambda thing: {"x": thing()},
    "refuse": refuse,
}


class Liar(np.ndarray):
    """Equals everything and looks like everything."""

    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return True


class Shifty:
    """An object that is a different array at each look."""

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.array([object()])


def ask(thing: object, adapter: str = "give", **changes: object) -> dict[str, object]:
    request = {
        "question": "q",
        "number": 0,
        "adapter": adapter,
        "objects": ["thing"],
        "hide": [],
        "watch": ["thing"],
        "reads": "numbers",
        "inputs": {},
    }
    return answer(
        request | changes,
        adapters=ADAPTERS,
        notebook={"thing": thing},
        seed=0,
        cell_names={},
    )


@pytest.mark.parametrize(
    "thing",
    [
        [[1, 2], [3, 4]],
        ((1.0, 2.0), (3.0, 4.0)),
        np.array([[1, 2], [3, 4]], dtype=np.int8),
        np.array([[1, 3], [2, 4]], dtype=np.float16).T,
        np.array([[1, 9, 2], [3, 9, 4]])[:, ::2],
        np.array([[1.0, 2.0], [3.0, 4.0]]).view(Liar),
        torch.tensor([[1, 2], [3, 4]]),
        torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True),
        torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.bfloat16),
        [np.array([1, 2]), [3.0, 4]],
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_what_holds_numbers_becomes_a_plain_array(thing: object) -> None:
    """Lists, integers, other dtypes, tensors, views and subclasses are all fine."""
    reply = ask(thing)
    assert reply["status"] == "returned", reply
    array = decode_array(reply["value"]["x"])
    assert type(array) is np.ndarray
    np.testing.assert_array_equal(array, [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("thing", "complaint"),
    [
        ([[1, 2], [3]], "not an array of numbers"),
        ([1.0, float("nan")], "NaN or infinity"),
        ([1.0, float("inf")], "NaN or infinity"),
        (np.array([1 + 2j]), "not an array of real numbers"),
        (["1.0"], "not an array of real numbers"),
        ([10**400], "not an array of numbers"),
        (None, "is there a `return`?"),
        pytest.param(Shifty(), "not an array of numbers", id="shifty"),
        (np.zeros(300_000), "the limit is 200,000"),
    ],
    ids=str,
)
def test_what_does_not_is_refused_with_a_reason(thing: object, complaint: str) -> None:
    """Ragged, infinite, complex, text, too much: one sentence each."""
    reply = ask(thing)
    assert reply["status"] == "refused"
    assert complaint in reply["error"]
    assert "value" not in reply


def test_an_adapter_may_refuse() -> None:
    """Refused by the adapter is not an error of the student's code."""
    assert ask(1, "refuse")["status"] == "refused"


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), KeyboardInterrupt()])
def test_whatever_is_raised_is_an_outcome(error: BaseException) -> None:
    """Even SystemExit in an answer is just a fact about it."""

    def thing() -> None:
        raise error

    reply = ask(thing, "call")
    assert reply["status"] == "raised"
    assert type(error).__name__ in reply["error"]


def test_missing_and_withheld_names_are_said() -> None:
    """A name that is not there, or was taken away, is named."""
    assert "`other` is not defined" in ask(1, objects=["other"])["error"]
    assert "`thing` is not defined" in ask(1, hide=["thing"])["error"]


def test_what_is_withdrawn_works_under_no_name() -> None:
    """A class's methods put aside one by one, an alias of a list's arrays, a function: all of no use."""

    class Provided:
        def forward(self) -> int:
            return 1

        @staticmethod
        def helper() -> int:
            return 2

    def function() -> int:
        return 3

    class Mine(Provided):
        pass

    kept, helper, arrays = Provided.forward, Provided.helper, [np.ones(2), {"a": np.ones(1)}]
    alias = arrays[0]
    for item in (Provided, function, arrays):
        withdraw(item)
    for call in (lambda: kept(Mine()), helper, function):
        with pytest.raises(NotImplementedError, match="removed while this is evaluated"):
            call()
    assert not hasattr(Mine(), "forward")
    assert np.isnan(alias).all()


def test_what_is_withdrawn_may_be_of_any_kind() -> None:
    """A decorated or cached function, a property, whole numbers, a read-only array, a tensor."""

    def function() -> int:
        return 3

    @functools.wraps(function)
    def decorated() -> int:
        return function()

    class Provided:
        four = property(lambda self: 4)

    cached, whole, read_only = functools.lru_cache(decorated), np.ones(2, int), np.ones(2)
    read_only.setflags(write=False)
    weights, floats = torch.ones(2, requires_grad=True), np.ones(2)
    kept = Provided()
    for item in (
        cached,
        Provided,
        [whole, np.broadcast_to(1.0, 3), read_only],
        weights,
        {1: floats},
    ):
        withdraw(item)
    for call in (cached, decorated, function):
        with pytest.raises(NotImplementedError, match="removed while this is evaluated"):
            call()
    assert not hasattr(kept, "four")
    assert not whole.any()
    assert np.isnan([*read_only, *weights.tolist(), *floats]).all()


def test_a_member_that_wraps_itself_keeps_no_other_one() -> None:
    """A notebook may make a loop, or put something read-only in the way."""

    class Provided:
        @staticmethod
        def first() -> int:
            return 1

        @staticmethod
        def second() -> int:
            return 2

        @staticmethod
        def third() -> int:
            return 3

    Provided.first.__wrapped__ = Provided.first  # type: ignore[attr-defined]
    Provided.second.__wrapped__ = np.frombuffer(b"12345678")  # type: ignore[attr-defined]
    kept = Provided.third
    withdraw(Provided)
    assert not [name for name in ("first", "second", "third") if hasattr(Provided, name)]
    with pytest.raises(NotImplementedError):
        kept()


def test_what_remembers_a_withdrawn_function_forgets() -> None:
    """A cache around it, and IPython's memory of cells, in which its text is."""

    def provided(x: int) -> int:
        return x

    cached = functools.lru_cache(provided)
    cells = ["def provided(x): return x"]
    assert cached(1) == 1
    notebook = {"provided": provided, "In": cells, "_i1": cells[0], "_ih": cells, "thing": cached}
    request = {"question": "q", "number": 0, "adapter": "give_one", "objects": ["thing"]}
    reply = answer(
        {**request, "hide": ["provided"], "watch": [], "inputs": {}, "reads": "numbers"},
        adapters={"give_one": lambda thing: {"x": thing(1)}},
        notebook=notebook,
        seed=0,
        cell_names={},
    )
    assert "removed while this is evaluated" in reply["error"]
    assert set(notebook) == {"thing"}
    assert not cells


def test_an_answer_that_changes_what_it_is_given_is_refused() -> None:
    """Where the adapter gives it arrays; one that may change them is not watched."""

    def halve(x: np.ndarray) -> np.ndarray:
        x /= 2
        return x

    adapters = {"call_with": lambda thing, x: {"x": thing(x)}}
    for watch, status in ((["thing"], "refused"), ([], "returned")):
        request = {"question": "q", "number": 0, "adapter": "call_with", "objects": ["thing"]}
        reply = answer(
            {
                **request,
                "hide": [],
                "watch": watch,
                "reads": "numbers",
                "inputs": encode_value({"x": np.ones(2)}),
            },
            adapters=adapters,
            notebook={"thing": halve},
            seed=0,
            cell_names={},
        )
        assert reply["status"] == status
        assert ("`thing` changes `x`" in reply.get("error", "")) == bool(watch)


def product() -> torch.Tensor:
    return torch.ones(2, 3) @ torch.ones(3)


def in_a_thread() -> torch.Tensor:
    found: list[torch.Tensor] = []
    thread = threading.Thread(target=lambda: found.append(product()))
    thread.start()
    thread.join()
    return found[0]


def without_dispatch() -> torch.Tensor:
    with torch._C._DisableTorchDispatch():
        return product()


def without_dispatch_in_one_line() -> torch.Tensor:
    switch = torch._C._DisableTorchDispatch(); found = torch.ones(2, 3) @ torch.ones(3); del switch  # fmt: skip # noqa: E702
    return found


def without_functions() -> torch.Tensor:
    with torch._C.DisableTorchFunction():
        return product()


def without_modes() -> torch.Tensor:
    with _disable_current_modes():
        return product()


def with_another_mode() -> torch.Tensor:
    mode = torch._C._pop_torch_dispatch_stack(None)
    with FlopCounterMode(display=False):
        found = product()
    torch._C._push_on_torch_dispatch_stack(mode)
    return found


def excluded() -> torch.Tensor:
    torch._C._dispatch_tls_set_dispatch_key_excluded("Python", True)
    found = product()
    torch._C._dispatch_tls_set_dispatch_key_excluded("Python", False)
    return found


def honest() -> torch.Tensor:
    with torch.no_grad(), torch.device("cpu"), FlopCounterMode(display=False):
        rows = (row @ torch.ones(3) for row in torch.ones(2, 3))
        found = torch.stack(list(rows))
        torch.vmap(lambda row: row.sum() * 2)(torch.ones(2, 3))
    try:
        raise ValueError
    except ValueError:
        return found + product() - torch.einsum("ij,j->i", torch.ones(2, 3), torch.ones(3))


SEEN = """
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

class Sees(TorchDispatchMode):
    operations = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        self.operations += 1
        return operation(*args, **(kwargs or {}))

class Knows(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))

def seen(answer):
    with Knows(), Sees() as sees:
        return {"x": answer(), "operations": sees.operations}
"""
exec(compile(SEEN, "staff/adapters.py", "exec"), ADAPTERS)


@pytest.mark.parametrize(
    "away",
    [
        in_a_thread,
        without_dispatch,
        without_dispatch_in_one_line,
        without_functions,
        without_modes,
        with_another_mode,
        excluded,
    ],
)
def test_what_a_count_of_torchs_does_not_see_is_refused(away: Callable[[], torch.Tensor]) -> None:
    """Its modes are of one thread, and it has switches for them."""
    assert ask(away, "seen", watch=[])["status"] == "returned"
    reply = ask(away, "seen", watch=[], reads="alone")
    assert reply["status"] == "refused", reply
    assert "can be counted" in str(reply["error"])


def test_what_a_count_sees_is_returned() -> None:
    """Also where the answer has a mode of its own, a generator, a map over rows, or an error inside."""
    reply = ask(honest, "seen", watch=[], reads="alone")
    assert reply["status"] == "returned", reply
    assert decode_array(reply["value"]["x"]).tolist() == [3, 3]  # type: ignore[index]
