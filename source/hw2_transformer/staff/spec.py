"""hw2_transformer: its questions, and how each is asked and checked."""

from collections.abc import Sequence

import numpy as np

from autograder.kit import Array, Ask, Close, Homework, Inputs, LogField, Question, tolerance

from . import recorded, reference
from .counted import Vectorised
from .designed import Designed
from .original_log import read_log, read_notebook
from .words import implied_weights

# Sizes go up to 9, and a row of input with its position up to 18 numbers. Queries, keys,
# scores, softmax, values and their average are sums of so many products; scores have a root
# mean square near 1.4, which magnifies the errors that go into them.
SCORE_SIZE, OUTPUT_SIZE, GRADIENT_SIZE = 1.4, 2.0, 2.7
FORWARD = ((18, SCORE_SIZE), (18, SCORE_SIZE), (9, SCORE_SIZE), (9, 1.0), (18, 1.0), (9, 1.0))
OUTPUT_TOLERANCE = tolerance(FORWARD, scale=OUTPUT_SIZE)
# Back through direction @ V^T, the softmax, d_scores @ K and x^T @ d_queries.
BACKWARD = ((9, 1.0), (9, 1.0), (9, 1.0), (9, 1.0))
GRADIENT_TOLERANCE = tolerance(FORWARD + BACKWARD, scale=GRADIENT_SIZE)


def port_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw a case for each length from 1 to 9, without positions, and one of the sizes of another.

    In three of them one model gets several sequences.
    """
    cases = [_case(rng, length, positions=False) for length in range(1, 10)]
    return _with_later(rng, [*cases, _again(rng, cases[4])])


def port_positions_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw the same with more positions than tokens."""
    cases = [_case(rng, length, positions=True) for length in range(1, 10)]
    return _with_later(rng, [*cases, _again(rng, cases[4])])


def port_gradients_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw cases with a direction: the scalar is sum(output * direction)."""
    cases = []
    for length in (2, 3, 5, 9):
        case = _case(rng, length, positions=True)
        v_dim = case["Vm"].shape[1]
        cases.append({**case, "direction": rng.normal(size=(length, v_dim))})
    return [*cases, _again(rng, cases[1])]


def port_vectorised_cases(rng: np.random.Generator) -> Sequence[Inputs]:
    """Draw two of the same sizes. Length 1 is left out: einsum dispatches fewer operations there."""
    rows = 5
    return [
        {
            "short": 3,
            "long": 12,
            "Km": rng.normal(size=(rows, 4)) * 1.2 / np.sqrt(rows),
            "Qm": rng.normal(size=(rows, 4)) * 1.2 / np.sqrt(rows),
            "Vm": rng.normal(size=(rows, 2)),
            "seq": rng.normal(size=(12, rows)),
            "direction": rng.normal(size=(12, 2)),
        }
        for _ in range(2)
    ]


def _with_later(rng: np.random.Generator, cases: Sequence[Inputs]) -> Sequence[Inputs]:
    """Let the models of some cases get two sequences of other lengths, and one of the same, too.

    Not that of length 1, which many wrong ports are right for.
    """
    drawn = []
    for number, case in enumerate(cases):
        more: Inputs = {}
        if number in LATER:
            length, width = case["seq"].shape
            others = np.setdiff1d(np.arange(1, len(case.get("pos", range(9))) + 1), [length])
            lengths = np.array([*rng.choice(others, size=2, replace=False), length])
            more = {"later": rng.normal(size=(lengths.sum(), width)), "lengths": lengths}
        drawn.append({**case, **more})
    return drawn


LATER = (1, 5, 7)


def _again(rng: np.random.Generator, case: Inputs) -> Inputs:
    """Draw a case of the same sizes; its first and its last token are equal."""
    drawn = {name: item.std() * rng.normal(size=item.shape) for name, item in case.items()}
    drawn["seq"][-1] = drawn["seq"][0]
    return drawn


def _case(rng: np.random.Generator, length: int, *, positions: bool) -> Inputs:
    """Draw weights and a sequence whose sizes are all different, so that no mix-up fits.

    Weights are scaled so that scores stay near 1, where the softmax is neither
    flat nor saturated and every mistake shows.
    """
    while True:
        input_dim, qk_dim, v_dim, pos_dim = (int(size) for size in rng.integers(2, 10, size=4))
        max_seq_len = length + int(rng.integers(1, 5))
        rows = input_dim + pos_dim if positions else input_dim
        sizes = [length, input_dim, qk_dim, v_dim]
        sizes += [pos_dim, rows, max_seq_len] if positions else []
        if len(set(sizes)) == len(sizes):
            break
    case = {
        "Km": rng.normal(size=(rows, qk_dim)) * 1.2 / np.sqrt(rows),
        "Qm": rng.normal(size=(rows, qk_dim)) * 1.2 / np.sqrt(rows),
        "Vm": rng.normal(size=(rows, v_dim)),
        "seq": rng.normal(size=(length, input_dim)),
    }
    return case | ({"pos": rng.normal(size=(max_seq_len, pos_dim))} if positions else {})


def describe(inputs: Inputs) -> str:
    """Say what a case of the port was, without its numbers."""
    length, input_dim = inputs["seq"].shape
    pos = inputs.get("pos")
    positions = "no positions" if pos is None else f"pos_dim={pos.shape[1]}, max_seq_len={len(pos)}"
    several = ", the first of several that one model gets," * ("later" in inputs)
    equal = length > 1 and np.array_equal(inputs["seq"][0], inputs["seq"][-1])
    return (
        f"a sequence of length {length}{' with equal ends' * equal}{several} with input_dim={input_dim}, "
        f"qk_dim={inputs['Km'].shape[1]}, v_dim={inputs['Vm'].shape[1]}, {positions}"
    )


def same_tokens(numbers: Array) -> Array:
    """Return each token as a one-hot vector: what identity asks for."""
    one_hot: Array = np.eye(3)[numbers]
    return one_hot


def first_token(numbers: Array) -> Array:
    """Return the first token at every position: what copy_first asks for."""
    return same_tokens(np.broadcast_to(numbers[:, :1], numbers.shape))


def unique_or_not(numbers: Array) -> Array:
    """Return 1 where a token stands once in its sequence and -1 where it is repeated."""
    times = (numbers[:, :, None] == numbers[:, None, :]).sum(axis=2)
    return np.where(times == 1, 1.0, -1.0)[..., None]


# The matrices of a recorded training run, given to those who have no port yet, are not a design.
GIVEN = ("LEARNED_IDENTITY", "LEARNED_COPY_FIRST", "LEARNED_UNIQUE")


def _port(adapter: str) -> Ask:
    return Ask(adapter, ("PytorchTransformer",), hide=("NumpyTransformer",))


_close_output = Close(
    reference.port, OUTPUT_TOLERANCE, describe, implied_weights, beside=("beside",)
)
_close_gradients = Close(reference.gradients, GRADIENT_TOLERANCE, describe)

HOMEWORK = Homework(
    warm=("torch", "matplotlib.pyplot", "tqdm"),
    questions=(
        Question("port", _close_output, port_cases, ask=_port("port"), gradients=False),
        Question(
            "port_positions",
            _close_output,
            port_positions_cases,
            ask=_port("port"),
            gradients=False,
            if_right={
                "port": "Without positions it is right (`port`): look at which rows of the table "
                "join the tokens, and on which side."
            },
        ),
        Question(
            "port_gradients",
            _close_gradients,
            port_gradients_cases,
            ask=_port("port_gradients"),
            if_right={"port_positions": "The output itself is right (`port_positions`)."},
            gradients=True,
        ),
        Question(
            "port_vectorised",
            Vectorised(("Qm", "Km", "Vm"), OUTPUT_TOLERANCE, GRADIENT_TOLERANCE),
            port_vectorised_cases,
            ask=_port("port_operations"),
            needs=("port",),
            gradients=True,
        ),
        Question(
            "identity",
            Designed(
                "ABC",
                same_tokens,
                max_length=6,
                v_dim=3,
                partial=0.5,
                recorded=recorded.IDENTITY,
                alike=0.9995,
            ),
            par=9,
            use="three_matrices",
            objects=("identity_weights",),
            hide=GIVEN,
            gradients=False,
        ),
        Question("compare_identity"),
        Question(
            "copy_first",
            Designed(
                "ABC",
                first_token,
                max_length=4,
                v_dim=3,
                positions=4,
                partial=0.5,
                recorded=recorded.COPY_FIRST,
                alike=0.995,
            ),
            par=9,
            use="four_matrices",
            objects=("copy_first_weights",),
            hide=GIVEN,
            gradients=False,
        ),
        Question("compare_copy_first"),
        Question(
            "unique",
            Designed(
                "ABC",
                unique_or_not,
                max_length=4,
                v_dim=1,
                positions=5,
                prefix="CLS",
                tolerance=None,
                recorded=recorded.UNIQUE,
                alike=0.98,
            ),
            use="four_matrices",
            objects=("unique_weights",),
            hide=GIVEN,
            gradients=False,
            extra=True,
        ),
    ),
    log_fields=(
        LogField(
            (
                "torch_transformer_shape",
                "torch_transformer_value",
                "torch_transformer_init",
                "torch_transformer_forward",
            ),
            Ask("port_log", ("PytorchTransformer",)),
        ),
        LogField(
            ("attention_by_content", *(f"attention_by_content_{m}" for m in "QKV")),
            Ask("content_log", ("NumpyTransformer", "identity_weights")),
        ),
        LogField(
            (
                "attention_by_position",
                *(f"attention_by_position_{m}" for m in ("pos", "Q", "K", "V")),
            ),
            Ask("position_log", ("NumpyTransformer", "copy_first_weights")),
        ),
    ),
    read_log=read_log,
    read_notebook=read_notebook,
)
