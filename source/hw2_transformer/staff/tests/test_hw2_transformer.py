"""hw2_transformer: its oracle is right, its tolerances are chosen, its golden figures come out."""

import importlib.util
import re
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import _disable_current_modes

from autograder.course import homework, inputs
from autograder.records.facts import SubmissionId
from autograder.records.homework import Homework
from autograder.records.values import Refused
from tests.helpers import ROOT, count

reference = homework.staff_module(ROOT, "hw2_transformer", "reference")
adapters = homework.staff_module(ROOT, "hw2_transformer", "adapters")
spec = homework.staff_module(ROOT, "hw2_transformer", "spec")
shared = homework.staff_module(ROOT, "hw2_transformer", "shared")
STAFF = ROOT / "source" / "hw2_transformer" / "staff"
LOSSES = {
    "identity_training": [
        *(0.491163, 0.000914947, 0.00888177, 0.0172519, 0.00986713, 0.00498581),
        *(0.000684613, 0.00109912, 0.00201095, 0.00182089, 0.000417524),
    ],
    "copy_first_training": {0: 1.4877721, 1: 3.6027e-4, 10: 9.2863e-5},
}


def load(path: Path) -> ModuleType:
    location = importlib.util.spec_from_file_location(path.stem, path)
    assert location
    assert location.loader
    module = importlib.util.module_from_spec(location)
    location.loader.exec_module(module)
    return module


def instructor_port() -> type[torch.nn.Module]:
    """Return the instructor's PytorchTransformer."""
    cells = homework.read_cells(ROOT / "source" / "hw2_transformer" / "hw2_transformer.ipynb")
    source = next(cell.source for cell in cells if cell.id == "port_answer")
    namespace = {
        "nn": torch.nn,
        "torch": torch,
        "F": torch.nn.functional,
        "math": __import__("math"),
    }
    exec(source, namespace)
    return namespace["PytorchTransformer"]


def test_the_reference_gradients_are_slopes() -> None:
    """The gradients derived by hand agree with central differences."""
    rng = np.random.default_rng(0)
    (*_, case) = spec.port_gradients_cases(rng)
    derived = reference.gradients(**case)
    names = ("Km", "Qm", "Vm", "pos")
    for name in names:
        slopes = np.zeros_like(case[name])
        for index in np.ndindex(slopes.shape):
            ends = []
            for step in (1e-6, -1e-6):
                moved = {key: case[key].copy() for key in names}
                moved[name][index] += step
                output = reference.transformer(**moved, seq=case["seq"])
                ends.append((output * case["direction"]).sum())
            slopes[index] = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(derived[f"the gradient of {name}"], slopes, atol=1e-7)


def test_the_sizes_behind_the_tolerances_are_true() -> None:
    """Scores, outputs and gradients are as large, in root mean square, as their derivation says."""
    rng, sizes = np.random.default_rng(0), {"scores": [], "outputs": [], "gradients": []}
    for _ in range(40):
        for case in (*spec.port_cases(rng), *spec.port_positions_cases(rng)):
            sizes["outputs"].append(reference.port(**case)["output"].ravel())
            x = np.hstack([case["seq"], case.get("pos", np.zeros((9, 0)))[: len(case["seq"])]])
            scores = x @ case["Qm"] @ (x @ case["Km"]).T / np.sqrt(case["Km"].shape[1])
            sizes["scores"].append(scores.ravel())
        for case in spec.port_gradients_cases(rng):
            sizes["gradients"] += [g.ravel() for g in reference.gradients(**case).values()]
    found = {n: float(np.sqrt((np.concatenate(a) ** 2).mean())) for n, a in sizes.items()}
    stated = {
        "scores": spec.SCORE_SIZE,
        "outputs": spec.OUTPUT_SIZE,
        "gradients": spec.GRADIENT_SIZE,
    }
    assert found == pytest.approx(stated, rel=0.1)


def test_half_precision_is_beyond_the_tolerance_and_float64_within() -> None:
    """The port may compute in float32 or better: bfloat16 and float16 are told apart from it."""
    port, rng = instructor_port(), np.random.default_rng(0)
    check = spec.HOMEWORK.question("port").check
    passed = dict.fromkeys((torch.float64, torch.float32, torch.float16, torch.bfloat16), 0)
    cases = spec.port_cases(rng)
    for dtype in passed:
        for case in cases:
            model = adapters._loaded(port, *(case[n] for n in ("Km", "Qm", "Vm")), *_rest(case))
            value = {
                name: model.to(dtype)(torch.tensor(one, dtype=dtype)).detach().double().numpy()
                for name, one in sequences(case).items()
            }
            passed[dtype] += check(case, value).fraction
    assert list(passed.values()) == [10, 10, 0, 0]


def sequences(case: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return all sequences that a case's model gets."""
    found: dict[str, np.ndarray] = shared.sequences(
        case["seq"], case.get("later"), case.get("lengths")
    )
    return found


def _rest(case: dict[str, np.ndarray]) -> tuple[int, None]:
    return case["seq"].shape[1], None


@pytest.mark.parametrize("question", ["identity", "copy_first", "unique"])
def test_designs_survive_bfloat16(hw2: Homework, question: str) -> None:
    """The instructor's matrices, rounded to bfloat16 as a small model's would be, are still right."""
    cells = homework.read_cells(ROOT / "source" / "hw2_transformer" / "hw2_transformer.ipynb")
    namespace = {"np": np}
    exec(next(cell.source for cell in cells if cell.id == f"{question}_answer"), namespace)
    names = ("Km", "Qm", "Vm", "pos")
    value = {
        name: torch.tensor(matrix).to(torch.bfloat16).double().numpy()
        for name, matrix in zip(names, namespace[f"{question}_weights"](), strict=False)
    }
    assert hw2.question(question).check({}, value).fraction == 1


def test_the_answers_of_the_source_are_what_they_are(hw2: Homework) -> None:
    """Its identity is right; its copy-first is right on the 12 constant sequences only."""
    identity = {"Km": 5 * np.eye(3), "Qm": 9 * np.eye(3), "Vm": np.eye(3)}
    assert hw2.question("identity").check({}, identity).fraction == 1
    output = reference.transformer(**identity, seq=np.eye(3)[[0, 1, 1, 2, 2]])
    np.testing.assert_allclose(output[0], [1, 1.04166572e-11, 1.04166572e-11], rtol=1e-8)
    copy_first = {
        "Km": np.vstack([np.zeros((3, 1)), np.ones((4, 1))]),
        "Qm": np.vstack([np.zeros((3, 1)), np.eye(4, 1)]),
        "Vm": np.vstack([np.eye(3), np.zeros((4, 3))]),
        "pos": np.eye(4),
    }
    assert "Wrong on 108 of the 120" in hw2.question("copy_first").check({}, copy_first).message


def test_a_repeated_token_is_not_unique() -> None:
    """C A C asks for -1, 1, -1: the source's own example is wrong there."""
    np.testing.assert_array_equal(spec.unique_or_not(np.array([[2, 0, 2]]))[0, :, 0], [-1, 1, -1])


def test_sizes_cannot_be_confused(hw2: Homework) -> None:
    """In every case all sizes differ, lengths go from 1 to 9 (one twice), and pos is longer than the sequence."""
    me = SubmissionId("a", "notebook", "0" * 64)
    for name in ("port", "port_positions", "port_gradients"):
        cases = inputs.draw(hw2.question(name), submission=me, secret="s")
        if name != "port_gradients":
            assert [len(case["seq"]) for case in cases] == [*range(1, 10), 5]
        for case in cases:
            sizes = [*case["seq"].shape, case["Km"].shape[1], case["Vm"].shape[1]]
            if "pos" in case:
                sizes += [len(case["Km"]), *case["pos"].shape]
                assert len(case["pos"]) > len(case["seq"])
            assert len(set(sizes)) == len(sizes)


@pytest.mark.parametrize("cell_id", ["identity_training", "copy_first_training"])
def test_training_reproduces_the_recorded_losses(course: Path, cell_id: str) -> None:
    """The solutions print both columns: equal to 1e-4 up to step 2,000 and to 1e-3 after."""
    cells = homework.read_cells(course / "solutions/hw2_transformer/hw2_transformer.ipynb")
    outputs = next(cell.outputs for cell in cells if cell.id == cell_id)
    said = [one.get("text") or one.get("data", {}).get("text/plain", "") for one in outputs]
    text = "\n".join(map("".join, said))  # what is folded away included
    rows = re.findall(r"^ *(\d+) +([\d.e-]+) +([\d.e-]+)$", text, re.MULTILINE)
    assert [int(step) for step, _, _ in rows] == list(range(0, 10_001, 1000))
    golden = LOSSES[cell_id]
    for place, (step, here, recorded) in enumerate(rows):
        tolerance = 1e-4 if int(step) <= 2000 else 1e-3
        assert float(here) == pytest.approx(float(recorded), rel=tolerance)
        if isinstance(golden, list) or place in golden:
            assert float(here) == pytest.approx(golden[place], rel=tolerance)


@pytest.mark.slow
def test_the_learned_matrices_come_from_the_training_cells(course: Path) -> None:
    """The literals that students see without a port are what the training cells give.

    All three with FULL_COUNTS=1 (slice: one).
    """
    cells = homework.read_cells(course / "source/hw2_transformer/hw2_transformer.ipynb")
    given: dict[str, object] = {"np": np}
    exec(next(cell.source for cell in cells if cell.id == "learned"), given)
    staff = load(STAFF / "learned.py")
    found = staff.learned([*staff.TRAINING][: count(full=3, slice=1)])
    assert found
    for name, matrices in found.items():
        for ours, theirs in zip(matrices, given[name], strict=True):
            np.testing.assert_allclose(ours, theirs, atol=2e-4)


@pytest.mark.parametrize("question", ["identity", "copy_first", "unique"])
@pytest.mark.parametrize("Vm", ["as recorded", "by hand"])
def test_recorded_matrices_are_no_design(
    hw2: Homework, course: Path, question: str, Vm: str
) -> None:
    """Times any numbers, turned, rounded or a little off, with any Vm, they earn nothing."""
    check, recorded = hw2.question(question).check, notebooks_learned(course)[question]
    if Vm == "by hand" and question != "unique":
        by_hand = np.vstack([np.eye(3), np.zeros((len(recorded["Vm"]) - 3, 3))])
        recorded = {**recorded, "Vm": by_hand}
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(recorded["Km"].shape[1],) * 2))[0]
    each = np.linspace(1, 3, 3)[:, None]  # another factor for each token's queries
    rounded = {name: np.round(matrix, 1) for name, matrix in recorded.items()}
    values = [
        *({**recorded, "Qm": times * recorded["Qm"]} for times in (1, 2, 4, 10, 60, 1000)),
        {**recorded, "Km": 60 * recorded["Km"]},
        {**recorded, "Km": recorded["Km"] @ turn, "Qm": 60 * recorded["Qm"] @ turn},
        *({**rounded, "Vm": recorded["Vm"], "Qm": times * rounded["Qm"]} for times in (1, 60)),
        *([{**recorded, "Qm": 60 * each * recorded["Qm"]}] if question == "identity" else []),
    ]
    for _ in range(20):
        noisy = {name: m + rng.normal(scale=0.01, size=m.shape) for name, m in recorded.items()}
        values += [noisy | {"Qm": times * noisy["Qm"]} for times in (1, 60)]
    assert [check({}, value).fraction for value in values] == [0] * len(values)
    assert check.is_recorded(values[-1])  # that is why, where the task itself would be solved


@pytest.mark.parametrize("question", ["identity", "copy_first", "unique"])
def test_designs_are_far_from_recorded_matrices(hw2: Homework, question: str) -> None:
    """Right answers drawn in forms that nobody would write down are none of them taken for recorded."""
    drawn = homework.staff_module(ROOT, "hw2_transformer", "drawn")
    check, rng = hw2.question(question).check, np.random.default_rng(0)
    assert not any(check.is_recorded(drawn.DRAWN[question](rng)) for _ in range(100))


@pytest.mark.parametrize("uneven", [0.01, 0.02, 0.05])
def test_an_uneven_identity_is_a_design(hw2: Homework, uneven: float) -> None:
    """Scores of other tokens that differ by some percent of the token's own accuse nobody."""
    check = hw2.question("identity").check
    for signs in np.ndindex(*(2,) * 6):
        scores = 20 * np.sqrt(3) * np.eye(3)
        scores[~np.eye(3, dtype=bool)] += 20 * np.sqrt(3) * uneven * (2 * np.array(signs) - 1) / 2
        value = {"Km": np.eye(3), "Qm": scores, "Vm": np.eye(3)}
        assert check({}, value).fraction == 1


def test_what_is_recorded_is_what_the_notebook_prints(hw2: Homework, course: Path) -> None:
    """The scores that the judge knows are those of the notebook's matrices."""
    for question, matrices in notebooks_learned(course).items():
        check = hw2.question(question).check
        assert check.is_recorded(matrices)
        turned = {**matrices, "Qm": matrices["Qm"][::-1]}
        assert not check.is_recorded(turned)


def notebooks_learned(course: Path) -> dict[str, dict[str, np.ndarray]]:
    """Return the matrices of the cell `learned` by question and name."""
    cells = homework.read_cells(course / "source/hw2_transformer/hw2_transformer.ipynb")
    given: dict[str, list[np.ndarray]] = {"np": np}  # type: ignore[dict-item]
    exec(next(cell.source for cell in cells if cell.id == "learned"), given)
    return {
        question: dict(zip(("Km", "Qm", "Vm", "pos"), given[f"LEARNED_{question.upper()}"]))  # noqa: B905
        for question in ("identity", "copy_first", "unique")
    }


def test_some_models_get_sequences_of_several_lengths(hw2: Homework) -> None:
    """Three other ones after the first: two of other lengths that fit the table, and one of the same."""
    for name in ("port", "port_positions"):
        for draw in range(20):
            drawn = hw2.question(name).cases(np.random.default_rng(draw))
            several = [case for case in drawn if "later" in case]
            assert len(several) == 3
            for case in several:
                first, *others = (len(one) for one in sequences(case).values())
                assert first == others[-1]
                assert len({first, *others}) == 3
                assert max(others) <= len(case.get("pos", range(9)))


def test_what_a_model_keeps_is_named(hw2: Homework) -> None:
    """Where a port keeps its first output of each length, and for no other port, right or wrong."""
    question, port = hw2.question("port"), instructor_port()

    class Keeps(port):  # type: ignore[misc, valid-type]
        def forward(self, seq: torch.Tensor) -> torch.Tensor:
            kept = self.__dict__.setdefault("kept", {})
            return kept.setdefault(len(seq), super().forward(seq))

    class Unscaled(port):  # type: ignore[misc, valid-type]
        def forward(self, seq: torch.Tensor) -> torch.Tensor:
            return torch.softmax(self.Qm(seq) @ self.Km(seq).T, dim=-1) @ self.Vm(seq)

    cases = question.cases(np.random.default_rng(0))
    for model, wrong, says in ((port, 0, False), (Keeps, 3, True), (Unscaled, 9, False)):
        judged = []
        for case in cases:
            found = adapters.port(model, **case)
            value = {
                n: item if isinstance(item, str) else np.array(item) for n, item in found.items()
            }
            judged.append((case, value, question.check(case, value).fraction == 1))
        assert sum(not right for *_, right in judged) == wrong
        assert ("keep of the first" in question.check.overview(judged)) == says


def test_vectorised_counts_shape_and_gradients() -> None:
    """Fewer or equal operations pass; more, a wrong shape or a missing gradient do not."""
    rng = np.random.default_rng(0)
    weights = {name: rng.normal(size=(5, 4)) for name in ("Km", "Qm")}
    inputs = weights | {"short": 3, "long": 12, "seq": rng.normal(size=(12, 5))}
    inputs |= {"Vm": rng.normal(size=(5, 2)), "direction": rng.normal(size=(12, 2))}
    output = reference.transformer(*(inputs[name] for name in ("Km", "Qm", "Vm", "seq")))
    check = spec.HOMEWORK.question("port_vectorised").check
    good = {
        "output": output,
        "operations": np.array([13, 13]),
        "shape": np.array([12, 2]),
        "expected_shape": np.array([12, 2]),
        "gradients": np.array([1, 1, 1]),
        **reference.gradients(
            **weights,
            Vm=inputs["Vm"],
            seq=inputs["seq"],
            pos=np.zeros((12, 0)),
            direction=inputs["direction"],
        ),
    }
    assert check(inputs, good).fraction == 1
    for change in (
        {"operations": np.array([13, 14])},
        {"shape": np.array([2, 12])},
        {"gradients": np.array([1, 1, 0])},
        {"the gradient of Qm": np.zeros((5, 4))},
    ):
        assert check(inputs, good | change).fraction == 0


def test_what_is_counted_is_compared(hw2: Homework) -> None:
    """A port that puts out something else at the lengths where it is counted loses these points."""
    question, rng = hw2.question("port_vectorised"), np.random.default_rng(0)
    (case, other) = question.cases(rng)
    port = instructor_port()

    class Cheap(port):  # type: ignore[misc, valid-type]
        def forward(self, seq: torch.Tensor) -> torch.Tensor:
            return self.Vm(seq) + 0 * (self.Qm(seq) + self.Km(seq)).sum()

    class Right(port):  # type: ignore[misc, valid-type]
        pass

    for model, fraction in ((Right, 1), (Cheap, 0)):
        value = {
            name: np.array(item) for name, item in adapters.port_operations(model, **case).items()
        }
        assert question.check(case, value).fraction == fraction
    assert not np.array_equal(case["seq"], other["seq"])


def _from_a_thread(compute: Callable[[], Any]) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(compute()))
    thread.start()
    thread.join()
    return found[0]


def _without_dispatch(compute: Callable[[], Any]) -> Any:
    with torch._C._DisableTorchDispatch():
        return compute()


def _without_modes(compute: Callable[[], Any]) -> Any:
    with _disable_current_modes():
        return compute()


@pytest.mark.parametrize("away", [_from_a_thread, _without_dispatch, _without_modes])
def test_a_loop_where_no_mode_counts_is_counted(
    hw2: Homework, away: Callable[[Callable[[], Any]], Any]
) -> None:
    """In a thread, and with torch's own switches: its graph has every step that gradients need."""
    port = instructor_port()

    class Looped(port):  # type: ignore[misc, valid-type]
        def forward(self, seq: torch.Tensor) -> torch.Tensor:
            return away(lambda: self.looped(seq))

        def looped(self, seq: torch.Tensor) -> torch.Tensor:
            K, Q, V = self.Km(seq), self.Qm(seq), self.Vm(seq)
            scale = K.shape[1] ** 0.5
            return torch.stack([torch.softmax(K @ q / scale, dim=0) @ V for q in Q])

    class Decoy(Looped):
        def forward(self, seq: torch.Tensor) -> torch.Tensor:
            hidden = super().forward(seq).detach()
            weights = sum(m.weight.sum() for m in (self.Qm, self.Km, self.Vm))
            return hidden + weights - weights.detach()

    class Hidden(torch.autograd.Function):
        @staticmethod
        def forward(context: Any, found: torch.Tensor) -> torch.Tensor:
            return found.clone()

        @staticmethod
        def backward(context: Any, *slopes: torch.Tensor) -> torch.Tensor:
            return slopes[0]

    class Functions(Looped):
        def forward(self, seq: torch.Tensor) -> torch.Tensor:
            found: torch.Tensor = Hidden.apply(super().forward(seq))
            return found

    check = hw2.question("port_vectorised").check
    case, _ = hw2.question("port_vectorised").cases(np.random.default_rng(0))
    for model, said in ((Looped, "may not grow"), (Decoy, "gradients of the pass")):
        found = adapters.port_operations(model, **case)
        verdict = check(case, {name: np.array(item) for name, item in found.items()})
        assert (verdict.fraction, said in verdict.message) == (0, True), verdict
    with pytest.raises(Refused, match="hides what forward does"):
        adapters.port_operations(Functions, **case)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_port_is_given_numbers_of_the_notebooks_own_type(dtype: torch.dtype) -> None:
    """Where the notebook computes in double precision, so does the sequence that is given."""
    case, before = spec.port_cases(np.random.default_rng(0))[3], torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        found = adapters.port(instructor_port(), **case)
    finally:
        torch.set_default_dtype(before)
    np.testing.assert_allclose(found["output"], reference.port(**case)["output"], atol=1e-4)


def test_a_port_that_changes_its_sequence_is_told_so() -> None:
    """And one whose second output differs is, too."""

    class Scales(instructor_port()):  # type: ignore[misc]
        def forward(self, seq: torch.Tensor) -> torch.Tensor:
            found = super().forward(seq)
            seq *= 2
            return found

    class Counts(instructor_port()):  # type: ignore[misc]
        calls = 0

        def forward(self, seq: torch.Tensor) -> torch.Tensor:
            self.calls += 1
            return super().forward(seq) * self.calls

    case = spec.port_cases(np.random.default_rng(0))[3]
    with pytest.raises(Refused, match="changes `seq`"):
        adapters.port(Scales, **case)
    with pytest.raises(Refused, match="Evaluated twice"):
        adapters.port(Counts, **case)


@pytest.mark.parametrize(
    "form",
    [
        lambda m: torch.stack([torch.tensor(x) for x in m]),
        lambda m: [x.astype(complex) for x in m],
        lambda m: tuple(x.tolist() for x in m),
        lambda m: [torch.nn.Parameter(torch.tensor(x)) for x in m],
        lambda m: iter(m),
    ],
)
def test_matrices_count_in_every_usual_form(form: Callable[[list[np.ndarray]], object]) -> None:
    matrices = [np.eye(3), 20 * np.eye(3), np.eye(3)]
    found = adapters.three_matrices(lambda: form(matrices))
    assert all(np.array_equal(found[n], m) for n, m in zip(found, matrices, strict=True))
