"""Turn a student's functions into plain arrays. Runs in the sandbox; holds no answer."""

import functools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from autograder.kit import Array, Lines, Refused, number, plain, several, watched

Function = Callable[..., Any]
DRAWS = 50_000


def losses(function: Function, lam: float) -> dict[str, Any]:
    """Return the four losses."""
    return {"the list of losses": _numbers(function(lam), "(rec_I, reg_I, rec_P, reg_P)", 4)}


def threshold(function: Function) -> dict[str, Any]:
    """Return the threshold."""
    return {"the threshold": number(function())}


def interval(function: Function) -> dict[str, Any]:
    """Return both ends."""
    return {"the interval": _numbers(function(), "(low, high)", 2)}


def purifier(function: Function, X: Array, lam: float) -> dict[str, Any]:
    """Return the matrix."""
    return {"the purifier": plain(function(X, lam))}


def purifier_from_svd(function: Function, U: Array, s: Array, lam: float) -> dict[str, Any]:
    """Return the matrix."""
    return {"the purifier": plain(function(U, s, lam))}


def argmax_attention(function: Function, q: Array, K: Array, V: Array) -> dict[str, Any]:
    """Return the output."""
    return {"the output": plain(function(q, K, V))}


def mean(function: Function, mu: float, sigma: float, d: int) -> dict[str, Any]:
    """Return the mean."""
    return {"the mean": number(function(mu, sigma, d))}


def variance(function: Function, mu: float, sigma: float, d: int) -> dict[str, Any]:
    """Return the variance."""
    return {"the variance": number(function(mu, sigma, d))}


def scale(function: Function, d: int) -> dict[str, Any]:
    """Return the scale."""
    return {"the scale": number(function(d))}


def quadratic_products(function: Function, x: Array, y: Array, order: Array) -> dict[str, Any]:
    """Return the products of the features of all pairs of points."""
    return _products(function, (x, y), order)


def feature_dimension(function: Function, D: int) -> dict[str, Any]:
    """Return the number."""
    return {"the number of features": number(function(D))}


def kernel_attention(function: Function, Q: Array, K: Array, V: Array, A: Array) -> dict[str, Any]:
    """Return the output for features made with A."""
    output = function(*map(torch.tensor, (Q, K, V)), _features(torch.tensor(A)))
    return {"the output": plain(output)}


def kernel_attention_cost(
    function: Function,
    Q: Array,
    K: Array,
    V: Array,
    A: Array,
    short: int,
    long: int,
    C: int,
    M: int,
    short_rows: Array,
    long_rows: Array,
) -> dict[str, Any]:
    """Return what is counted at two lengths, and some rows of the outputs of these same calls."""
    features = _features(torch.tensor(A))
    operations, largest, rows = [], [], []
    for length, chosen in ((short, short_rows), (long, long_rows)):
        made, left = _Counter(), _Outside()

        def phi(x: torch.Tensor, made: _Counter = made) -> torch.Tensor:
            before = made.operations
            result = features(x)
            made.of_phi += made.operations - before
            return result

        inputs = [torch.tensor(array[:length]) for array in (Q, K, V)]
        with left, made:
            output = function(*inputs, phi)
        if not isinstance(output, torch.Tensor):
            raise Refused(f"It returned {type(output).__name__}, not a tensor.")
        # The sums over keys take N C M multiplications, and so do the products with the queries.
        # As many numbers as the output has, and a denominator for each, may be looked at one by one.
        outside = left.numbers > length * (M + 2)
        if outside or made.operations - made.of_phi < 2 * length * C * M:
            raise Refused(
                "Less is counted in torch than the sums take: stay in torch, since what is "
                "computed outside of it cannot be counted."
            )
        operations.append(made.operations)
        largest.append(made.largest)
        found = plain(output)
        if found.shape == (length, M):
            rows += list(found[chosen])
        # At the longer length, all pairs of rows may be more than the memory holds.
        if made.largest > 8 * length * C * M:
            break
    return {
        "operations": operations,
        "largest": largest,
        "rows": np.array(rows).reshape(-1, M),
        "shape": list(output.shape),
        "expected_shape": [length, M],
    }


class _Counter(TorchDispatchMode):
    """Adds up operations, and finds the largest tensor that is made.

    Products of matrices are counted by torch's own formulas (FlopCounterMode uses them, and
    is ten times slower on a loop over rows); beside that, each number that is read or written
    is one operation. A view reads and writes none.
    """

    operations = 0
    of_phi = 0
    largest = 0

    def __torch_dispatch__(
        self, operation: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if _is_composite(operation):  # in inference mode it arrives as a whole
            with self:
                return operation.decompose(*args, **kwargs)
        result = operation(*args, **kwargs)
        if not operation.is_view:
            if formula := _FORMULAS.get(operation.overloadpacket):
                self.operations += formula(*args, **kwargs, out_val=result)
            elif _PRODUCT.search(operation.name()):
                self.operations += _multiplications([*args, result])
            made = _size((result,))
            self.largest = max(self.largest, made)
            # A sum reads more than it writes.
            self.operations += max(made, _size(args), _size(kwargs.values()))
        return result


@functools.cache
def _is_composite(operation: Any) -> bool:
    """Whether an operation is made of others, which are counted in its place."""
    return bool(operation._can_decompose())


_FORMULAS = dict(flop_registry)
# Products for which torch has no formula: of sparse matrices, and with reductions of their own.
_PRODUCT = re.compile(r"mm(\.|$)|matmul|cdist")


def _multiplications(items: Any) -> int:
    """Return how many multiplications (a, b) @ (b, c) takes, twice: ab bc ac is the square of abc."""
    shapes = [item.shape for item in items if isinstance(item, torch.Tensor)][-3:]
    return 2 * math.isqrt(math.prod(math.prod(shape) for shape in shapes))


def _size(items: Any) -> int:
    """Return how many numbers the largest tensor has among some things, and lists of them."""
    sizes = [item.numel() for item in items if isinstance(item, torch.Tensor)]
    sizes += [_size(item) for item in items if isinstance(item, tuple | list)]
    return max(sizes, default=0)


class _Outside(TorchFunctionMode):
    """Adds up how many numbers leave torch, uncounted, and notices torch's own attention."""

    numbers = 0
    library = False

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        name = getattr(function, "__name__", "")
        self.library = self.library or "scaled_dot_product" in name
        if name in _WAYS_OUT:
            self.numbers += args[0].numel()
        return function(*args, **(kwargs or {}))


_WAYS_OUT = frozenset(
    "numpy __array__ tolist item __float__ __int__ __index__ __dlpack__ data_ptr "
    "storage untyped_storage __reduce_ex__".split()
)


def gaussian_sigma(function: Function, D: int) -> dict[str, Any]:
    """Return sigma."""
    return {"sigma": number(function(D))}


def random_products(
    function: Function, x: Array, y: Array, W: Array, order: Array
) -> dict[str, Any]:
    """Return the products of the random features of all pairs of points."""
    return _products(lambda points: function(points, torch.tensor(W)), (x, y), order)


def sample_frequencies(
    function: Function, D_random: int, D: int, sigma: float, seed: int, **_: Any
) -> dict[str, Any]:
    """Return the frequencies, which are the same when the generator is; the rest is the judge's."""
    first, again, other = (
        plain(function(D_random, D, sigma, np.random.default_rng(start)))
        for start in (seed, seed, seed + 1)
    )
    if np.array_equal(first, other):
        raise Refused("Called with a different generator, it gives the same: draw from `rng`.")
    if not np.array_equal(first, again):
        raise Refused("Called twice with equal generators, it differs: draw from `rng` alone.")
    if first.ndim == 2 and len(np.unique(np.abs(first), axis=0)) < len(first):
        raise Refused("Some frequencies are equal, but for their signs: draw each on its own.")
    alone = plain(function(1, D, sigma, np.random.default_rng(seed)), "For D_random = 1, it")
    if alone.shape != (1, D):
        raise Refused(f"For D_random = 1 it has shape {alone.shape} where {(1, D)} belongs.")
    return {"the frequencies": first}


def costs(
    softmax_time: Function,
    softmax_memory: Function,
    linear_time: Function,
    linear_memory: Function,
    N: Array,
    D: Array,
    M: Array,
    C: Array,
) -> dict[str, Any]:
    """Return each formula's value at each point (N, D, M, C); text where it gives none."""
    found: dict[str, Any] = {}
    functions = (softmax_time, softmax_memory, linear_time, linear_memory)
    names = ("softmax_time", "softmax_memory", "linear_time", "linear_memory")
    for name, function in zip(names, functions, strict=True):
        try:
            points = zip(N.tolist(), D.tolist(), M.tolist(), C.tolist(), strict=True)
            found[name] = [number(function(*point)) for point in points]
        except NotImplementedError:
            found[name] = "it is not written yet"
        except Exception as error:
            found[name] = str(error) if isinstance(error, Refused) else f"it raised {error!r}"
            found[name] = found[name].rstrip(".")
    if all(isinstance(item, str) and item.endswith("yet") for item in found.values()):
        raise NotImplementedError
    return found


# Derivations. What a waypoint may use keeps it from repeating the definition.
PROVIDED = ("slope", "minimiser")
_GRADIENTS = Lines(
    {
        "gradient of the reconstruction loss": ("X", "W"),
        "gradient of the regularisation loss": ("W", "lam"),
        "A": ("X", "lam"),
    },
    result="purifier",
    provided=PROVIDED,
)
_EIGENVALUES = Lines(
    {
        "eigenvalues of X X^T": ("s",),
        "eigenvalues of A^-1": ("s", "lam"),
        "eigenvalues of the purifier": ("s", "lam"),
    },
    result="purifier_from_svd",
    provided=PROVIDED,
)
_MOMENTS = Lines(
    dict.fromkeys(("E[(q.k)^2]", "(E[q.k])^2", "Var[q.k]"), ("mu", "sigma", "d")),
    result="dot_variance",
    draws=("q", "k"),
)
_TERMS = Lines(
    dict.fromkeys(("squares", "cross terms", "linear terms"), ("x", "y")),
    result="quadratic_features",
)
_SUMS = Lines({"S": ("phi_K", "V"), "z": ("phi_K",)}, result="kernel_attention")
_FACTORS = Lines(
    {"factor of q": ("q",), "Gaussian kernel": ("q", "k"), "factor of k": ("k",)},
    result="gaussian_sigma",
)
_BLOCKS = Lines(
    {
        "new maximum": ("m1", "m2"),
        "rescaled denominator": ("m1", "l1", "m2", "l2"),
        "rescaled numerator": ("m1", "o1", "m2", "o2"),
    },
    result="merge",
)


def purifier_derivation(
    derivation: Function, X: Array, lam: float, W: Array, W_minimum: Array
) -> dict[str, Any]:
    """Return every line; the last is the student's purifier."""
    here = {"X": X, "lam": lam, "W": W}
    there = {**here, "W": W_minimum}
    return _GRADIENTS.values(derivation, here, ("X", "lam"), minimum=there)


def svd_derivation(
    derivation: Function, X: Array, U: Array, s: Array, lam: float
) -> dict[str, Any]:
    """Return every line; the last is the student's purifier from the singular values."""
    given = {"X": X, "U": U, "s": s, "lam": lam}
    return _EIGENVALUES.values(derivation, given, ("U", "s", "lam"))


def variance_derivation(
    derivation: Function, mu: float, sigma: float, d: int, seed: int
) -> dict[str, Any]:
    """Return every line; the last is the student's variance.

    q and k are drawn: (draws, d), uniform, since nothing in the proof needs more than the moments.
    """
    rng = np.random.default_rng(seed)
    q, k = (mu + sigma * np.sqrt(3) * rng.uniform(-1, 1, size=(DRAWS, d)) for _ in "qk")
    given = {"mu": mu, "sigma": sigma, "d": d, "q": q, "k": k}
    return _MOMENTS.values(derivation, given, ("mu", "sigma", "d"))


def features_derivation(derivation: Function, x: Array, y: Array) -> dict[str, Any]:
    """Return every line; the last is the product of the student's features."""

    def product(features: Function) -> Any:
        return np.dot(*(plain(features(torch.tensor(point))) for point in (x, y)))

    return _TERMS.values(derivation, {"x": x, "y": y}, product)


def linear_derivation(derivation: Function, phi_Q: Array, phi_K: Array, V: Array) -> dict[str, Any]:
    """Return every line; the last is the student's linear form, for features that are given."""
    given = {"phi_Q": phi_Q, "phi_K": phi_K, "V": V}
    tensors = [torch.tensor(array) for array in given.values()]
    return _SUMS.values(derivation, given, lambda linear: linear(*tensors, lambda phi: phi))


def gaussian_derivation(derivation: Function, q: Array, k: Array) -> dict[str, Any]:
    """Return every line; the last is the product of the factors with the student's sigma."""

    def product(sigma: Function) -> Any:
        twice = 2 * number(sigma(len(q))) ** 2
        return np.exp(q @ q / twice) * np.exp(-(q - k) @ (q - k) / twice) * np.exp(k @ k / twice)

    return _FACTORS.values(derivation, {"q": q, "k": k}, product)


def merge_derivation(
    derivation: Function, s1: Array, V1: Array, s2: Array, V2: Array, **summaries: Any
) -> dict[str, Any]:
    """Return every line; the last is the output of the student's merged block.

    Args:
        derivation: The student's.
        s1: (n1,), the scores of the first block.
        V1: (n1, M), its values.
        s2: (n2,), those of the second.
        V2: (n2, M).
        summaries: m1, l1, o1, m2, l2 and o2.
    """

    def output(merge: Function) -> Any:
        parts = (summaries[name + number] for number in "12" for name in "mlo")
        merged = merge(*(torch.tensor(part, dtype=torch.float64).reshape(1, -1) for part in parts))
        _, below, above = several(merged, 3)
        return (plain(above) / plain(below))[0]

    return _BLOCKS.values(derivation, {"s1": s1, "V1": V1, "s2": s2, "V2": V2, **summaries}, output)


def merge(function: Function, m: Array, l: Array, o: Array, order: Array) -> dict[str, Any]:  # noqa: E741
    """Return two blocks as one, then three of them with both brackets."""
    first, second, third = (
        tuple(torch.tensor(part[place]) for part in (m, l, o)) for place in order.tolist()
    )
    pair = several(function(*first, *second), 3)
    ways = (
        pair,
        several(function(*pair, *third), 3),
        several(function(*first, *several(function(*second, *third), 3)), 3),
    )
    shapes = [(*m.shape[1:],), (*l.shape[1:],), (*o.shape[1:],)]
    found: dict[str, Any] = {}
    for name, shape, parts in zip("mlo", shapes, zip(*ways, strict=True), strict=True):
        arrays = [plain(part, name) for part in parts]
        for array in arrays:
            if array.shape != shape:
                raise Refused(f"{name} should have shape {shape}, yours has {array.shape}.")
        found[name] = np.array(arrays)
    return found


def attend_in_blocks(function: Function, Q: Array, K: Array, V: Array, size: int) -> dict[str, Any]:
    """Return the output, and how many numbers the largest tensor has that was made for it."""
    inputs = [torch.tensor(array) for array in (Q, K, V)]
    watched(function)(*inputs, size)  # what watches copies, and would be counted
    made, left = _Counter(), _Outside()
    with left, made:
        output = function(*inputs, size)
    if left.library:
        raise Refused("It calls scaled_dot_product_attention, which does this for you.")
    (N, D), (n, M) = Q.shape, V.shape
    _stays_in_torch(made, left, N * (M + 3 + n // size), N * n * (D + M))
    return {"the output": plain(output), "the largest tensor": made.largest}


def decode(
    function: Function,
    E: Array,
    P: Array,
    Q: Array,
    K: Array,
    V: Array,
    U: Array,
    tokens: Array,
    more: Array,
    pieces: Array,
) -> dict[str, Any]:
    """Return the logits of tokens in pieces, those of a second continuation, and the operations.

    Args:
        function: The student's.
        E: (vocabulary, d), one row a token.
        P: (longest, d), one row a position.
        Q: (d, h), which makes queries.
        K: (d, h), which makes keys.
        V: (d, v), which makes values.
        U: (v, vocabulary), which makes logits.
        tokens: (T,), which come in pieces.
        more: Tokens that follow the first piece, in a continuation of their own.
        pieces: How many tokens come at a time.
    """
    arrays = {"E": E, "P": P, "Q": Q, "K": K, "V": V, "U": U}
    w = {name: torch.tensor(array) for name, array in arrays.items()}
    parts = torch.split(torch.tensor(tokens), pieces.tolist())

    def fed(step: Function, cache: Any, *some: torch.Tensor) -> tuple[list[Any], Any]:
        logits = []
        for part in some:
            found, cache = several(step(w, part, cache), 2)
            logits.append(found)
        return logits, cache

    # What watches copies, and would be counted.
    _, cache = fed(watched(function), None, parts[0])
    if len(tokens) < LONG:
        fed(watched(function), cache, *parts[1:])
    second, _ = fed(watched(function), cache, torch.tensor(more))
    made, left = _Counter(), _Outside()
    with left, made:
        logits, _ = fed(function, None, *parts)
    rows = [_rows(found, len(part), U.shape[1]) for found, part in zip(logits, parts, strict=True)]
    if len(tokens) >= LONG:
        (d, h), (v, vocabulary) = Q.shape, U.shape
        needed = len(tokens) * (2 * d * h + d * v + v * vocabulary) // 2
        _stays_in_torch(made, left, len(tokens) * (vocabulary + 2), needed)
    return {
        "the array of logits": np.concatenate(rows),
        "the array of a second continuation's logits": _rows(second[0], len(more), U.shape[1]),
        "operations": made.operations,
    }


LONG = 64
"""Tokens from which on operations are counted; for fewer, other things count most."""


def _rows(logits: Any, tokens: int, vocabulary: int) -> Array:
    array: Array = plain(logits, "the array of logits")
    if array.shape != (tokens, vocabulary):
        raise Refused(
            f"For {tokens} new tokens the logits should have shape {(tokens, vocabulary)}, yours "
            f"have {array.shape}."
        )
    return array


def _stays_in_torch(made: _Counter, left: _Outside, numbers: int, multiplications: int) -> None:
    """Refuse what is computed where nothing is counted."""
    if left.numbers > numbers or made.operations < multiplications:
        raise Refused("Stay in torch: what is computed outside of it cannot be counted.")


def cache_bytes(
    function: Function, layers: int, heads: int, width: int, tokens: int, bits: int
) -> dict[str, Any]:
    """Return the number of bytes."""
    return {"the number of bytes": number(function(layers, heads, width, tokens, bits))}


def _products(phi: Function, points: tuple[Array, ...], order: Array) -> dict[str, Any]:
    """Return phi(p).phi(r) for all pairs of points, whose features do not depend on the order.

    Args:
        phi: Maps a tensor (..., D) to features (..., C).
        points: Arrays of points (..., D), all of the same shape.
        order: In which the arrays are evaluated, each at least once.
    """
    made: dict[int, Array] = {}
    for place in order.tolist():
        features = plain(phi(torch.tensor(points[place])), "phi(x)")
        shape = points[place].shape
        if features.shape[:-1] != shape[:-1] or features.ndim != len(shape):
            raise Refused(
                f"For x of shape {shape} the features have shape {features.shape}: the last axis "
                "alone should change."
            )
        if any(features.shape != other.shape for other in made.values()):
            raise Refused("Two inputs of the same shape give features of different lengths.")
        if place in made and not np.array_equal(features, made[place]):
            raise Refused("Called twice with the same x, it gives different features.")
        made[place] = features
    rows = np.concatenate([made[n].reshape(-1, made[n].shape[-1]) for n in sorted(made)])
    return {"phi(x) . phi(y)": rows @ rows.T}


def _features(A: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return phi: positive features (..., C) of (..., D) for A (D, C); x itself for an empty A."""
    return lambda x: torch.log1p(torch.exp(x @ A)) if A.numel() else x


def _numbers(value: Any, names: str, count: int) -> Any:
    """Return so many numbers as one array."""
    return [number(item, f"each of {names}") for item in several(value, count)]
