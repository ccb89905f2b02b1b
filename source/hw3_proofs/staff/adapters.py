"""Turn a student's functions into plain arrays. Runs in the sandbox; holds no answer."""

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

from autograder.model import Array, Refused

Function = Callable[..., Any]
MAX_LINES = 60
MAX_NUMBERS = 2_000
DRAWS = 50_000


def losses(function: Function, lam: float) -> dict[str, Any]:
    """Return the four losses."""
    return {"the list of losses": _several(function(lam), "(rec_I, reg_I, rec_P, reg_P)", 4)}


def threshold(function: Function) -> dict[str, Any]:
    """Return the threshold."""
    return {"the threshold": _one_number(function())}


def interval(function: Function) -> dict[str, Any]:
    """Return both ends."""
    return {"the interval": _several(function(), "(low, high)", 2)}


def purifier(function: Function, X: Array, lam: float) -> dict[str, Any]:
    """Return the matrix."""
    return {"the purifier": _there(function(X, lam))}


def purifier_from_svd(function: Function, U: Array, s: Array, lam: float) -> dict[str, Any]:
    """Return the matrix."""
    return {"the purifier": _there(function(U, s, lam))}


def argmax_attention(function: Function, q: Array, K: Array, V: Array) -> dict[str, Any]:
    """Return the output."""
    return {"the output": _there(function(q, K, V))}


def mean(function: Function, mu: float, sigma: float, d: int) -> dict[str, Any]:
    """Return the mean."""
    return {"the mean": _one_number(function(mu, sigma, d))}


def variance(function: Function, mu: float, sigma: float, d: int) -> dict[str, Any]:
    """Return the variance."""
    return {"the variance": _one_number(function(mu, sigma, d))}


def scale(function: Function, d: int) -> dict[str, Any]:
    """Return the scale."""
    return {"the scale": _one_number(function(d))}


def quadratic_products(function: Function, x: Array, y: Array) -> dict[str, Any]:
    """Return the products of the features of x and y, pair by pair."""
    return _products(function, x, y)


def feature_dimension(function: Function, D: int) -> dict[str, Any]:
    """Return the number."""
    return {"the number of features": _one_number(function(D))}


def kernel_attention(function: Function, Q: Array, K: Array, V: Array, A: Array) -> dict[str, Any]:
    """Return the output for positive features made with A."""
    output = function(*map(torch.tensor, (Q, K, V)), _features(torch.tensor(A)))
    return {"the output": _there(output)}


def kernel_attention_cost(
    function: Function, short: int, long: int, D: int, C: int, M: int
) -> dict[str, Any]:
    """Return the operations, and the numbers in the largest tensor made, at two lengths."""
    phi = _features(torch.randn(D, C, dtype=torch.float64))
    operations, largest = [], []
    for length in (short, long):
        sizes = ((length, D), (length, D), (length, M))
        inputs = [torch.randn(size, dtype=torch.float64, requires_grad=True) for size in sizes]
        with _Counter() as made:
            output = function(*inputs, phi)
        if not isinstance(output, torch.Tensor):
            raise Refused(f"It returned {type(output).__name__}, not a tensor.")
        if not output.requires_grad:
            raise Refused(
                "As far as torch sees, what it returns does not depend on Q, K and V: stay in torch, "
                "since what is computed outside of it cannot be counted."
            )
        operations.append(made.operations)
        largest.append(made.largest)
        # At the longer length, all pairs of rows may be more than the memory holds.
        if made.largest > 8 * length * C * M:
            break
    return {
        "operations": operations,
        "largest": largest,
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
    largest = 0

    def __torch_dispatch__(
        self, operation: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        result = operation(*args, **kwargs)
        if not operation.is_view:
            if formula := _FORMULAS.get(operation.overloadpacket):
                self.operations += formula(*args, **kwargs, out_val=result)
            made = _numbers((result,))
            self.largest = max(self.largest, made)
            self.operations += max(made, _numbers(args))  # a sum reads more than it writes
        return result


_FORMULAS = dict(flop_registry)


def _numbers(items: Any) -> int:
    """Return how many numbers the largest tensor has among some things, and lists of them."""
    sizes = [item.numel() for item in items if isinstance(item, torch.Tensor)]
    sizes += [_numbers(item) for item in items if isinstance(item, tuple | list)]
    return max(sizes, default=0)


def gaussian_sigma(function: Function, D: int) -> dict[str, Any]:
    """Return sigma."""
    return {"sigma": _one_number(function(D))}


def random_products(function: Function, x: Array, y: Array, W: Array) -> dict[str, Any]:
    """Return the products of the random features of x and y, pair by pair."""
    return _products(lambda points: function(points, torch.tensor(W)), x, y)


def sample_frequencies(
    function: Function, D_random: int, D: int, sigma: float, seed: int, **_: Any
) -> dict[str, Any]:
    """Return the frequencies, which are the same when the generator is; the rest is the judge's."""
    first, again, other = (
        _plain(function(D_random, D, sigma, np.random.default_rng(start)))
        for start in (seed, seed, seed + 1)
    )
    if np.array_equal(first, other):
        raise Refused("Asked with another generator, it gives the same: draw from `rng`.")
    if not np.array_equal(first, again):
        raise Refused("Asked twice with equal generators, it differs: draw from `rng` alone.")
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
            found[name] = [_one_number(function(*point)) for point in points]
        except NotImplementedError:
            found[name] = "it is not written yet"
        except Exception as error:
            found[name] = str(error) if isinstance(error, Refused) else f"it raised {error!r}"
    if all(isinstance(item, str) and item.endswith("yet") for item in found.values()):
        raise NotImplementedError
    return found


# Derivations. What a waypoint may use keeps it from repeating the definition.
_OF_GRADIENTS = {
    "gradient of the reconstruction loss": ("X", "W"),
    "gradient of the regularisation loss": ("W", "lam"),
    "A": ("X", "lam"),
}
_OF_EIGENVALUES = {
    "eigenvalues of X X^T": ("s",),
    "eigenvalues of A^-1": ("s", "lam"),
    "eigenvalues of the purifier": ("s", "lam"),
}
_OF_MOMENTS = {
    "E[(q.k)^2]": ("mu", "sigma", "d"),
    "(E[q.k])^2": ("mu", "sigma", "d"),
    "Var[q.k]": ("mu", "sigma", "d"),
}
_OF_TERMS = {
    "squares": ("x", "y"),
    "cross terms": ("x", "y"),
    "linear terms": ("x", "y"),
}
_OF_SUMS = {
    "S": ("phi_K", "V"),
    "z": ("phi_K",),
}
_OF_FACTORS = {
    "factor of q": ("q",),
    "Gaussian kernel": ("q", "k"),
    "factor of k": ("k",),
}


def purifier_derivation(
    derivation: Function, X: Array, lam: float, W: Array, W_minimum: Array
) -> dict[str, Any]:
    """Return every line; the last is the student's purifier."""
    here = {"X": X, "lam": lam, "W": W}
    result = _result(derivation, "purifier")
    last = _last(lambda: result(X.copy(), lam))
    with _withheld(result):
        return _lines(derivation, here, _OF_GRADIENTS, minimum={**here, "W": W_minimum}) | last


def svd_derivation(
    derivation: Function,
    X: Array,
    U: Array,
    s: Array,
    lam: float,
) -> dict[str, Any]:
    """Return every line; the last is the student's purifier from the singular values."""
    result = _result(derivation, "purifier_from_svd")
    last = _last(lambda: result(U.copy(), s.copy(), lam))
    with _withheld(result):
        return _lines(derivation, {"X": X, "U": U, "s": s, "lam": lam}, _OF_EIGENVALUES) | last


def variance_derivation(
    derivation: Function, mu: float, sigma: float, d: int, seed: int
) -> dict[str, Any]:
    """Return every line; the last is the student's variance.

    q and k are drawn: (draws, d), uniform, since nothing in the proof needs more than the moments.
    """
    rng = np.random.default_rng(seed)
    q, k = (mu + sigma * np.sqrt(3) * rng.uniform(-1, 1, size=(DRAWS, d)) for _ in "qk")
    given = {"mu": mu, "sigma": sigma, "d": d, "q": q, "k": k}
    result = _result(derivation, "dot_variance")
    last = _last(lambda: result(mu, sigma, d))
    with _withheld(result):
        return _lines(derivation, given, _OF_MOMENTS, draws=("q", "k")) | last


def features_derivation(derivation: Function, x: Array, y: Array) -> dict[str, Any]:
    """Return every line; the last is the product of the student's features."""
    result = _result(derivation, "quadratic_features")
    last = _last(lambda: _products(result, x, y)["phi(x) . phi(y)"])
    with _withheld(result):
        return _lines(derivation, {"x": x, "y": y}, _OF_TERMS) | last


def linear_derivation(derivation: Function, phi_Q: Array, phi_K: Array, V: Array) -> dict[str, Any]:
    """Return every line; the last is the student's linear form, for features that are given."""
    result = _result(derivation, "kernel_attention")
    tensors = [torch.tensor(array) for array in (phi_Q, phi_K, V)]
    last = _last(lambda: result(*tensors, lambda features: features))
    with _withheld(result):
        return _lines(derivation, {"phi_Q": phi_Q, "phi_K": phi_K, "V": V}, _OF_SUMS) | last


def gaussian_derivation(derivation: Function, q: Array, k: Array) -> dict[str, Any]:
    """Return every line; the last is the product of the factors with the student's sigma."""
    result = _result(derivation, "gaussian_sigma")

    def product() -> Any:
        twice = 2 * float(result(len(q))) ** 2
        return np.exp(q @ q / twice) * np.exp(-(q - k) @ (q - k) / twice) * np.exp(k @ k / twice)

    last = _last(product)
    with _withheld(result):
        return _lines(derivation, {"q": q, "k": k}, _OF_FACTORS) | last


def _result(derivation: Function, name: str) -> Any:
    """Return the function that gives the last line; it may be missing, and the lines still count."""
    return getattr(derivation, "__globals__", {}).get(name)


def _last(function: Function) -> dict[str, Any]:
    """Return the last line, which comes from a function that is graded for itself."""
    try:
        value = _plain(function())
        return {"last": value} if np.isfinite(value).all() else {}
    except Exception:
        return {}


@contextlib.contextmanager
def _withheld(result: Any) -> Iterator[None]:
    """Keep a derivation from calling what it is to derive: a plain function, by whatever name."""
    code = result.__code__ if isinstance(result, FunctionType) else None
    if code is None or code.co_freevars:
        yield
        return

    def calls_its_result(*_: Any, **__: Any) -> Any:
        raise RuntimeError("it calls the result that is to be derived")

    try:
        result.__code__ = calls_its_result.__code__
        yield
    finally:
        result.__code__ = code


def _lines(
    derivation: Function,
    quantities: Mapping[str, Any],
    waypoints: Mapping[str, tuple[str, ...]],
    *,
    minimum: Mapping[str, Any] | None = None,
    draws: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Evaluate every line of a derivation.

    Args:
        derivation: Returns the lines: functions, and pairs of a waypoint's name and a function.
        quantities: What a line may ask for, by name.
        waypoints: Their names, and what each may ask for.
        minimum: The quantities at which equations hold; elsewhere they do not.
        draws: Quantities with one row a draw: a line that asks for them is an expectation.
    """
    lines = derivation()
    if not isinstance(lines, list | tuple):
        raise Refused(f"It should return a list of lines; it returned {type(lines).__name__}.")
    if len(lines) > MAX_LINES:
        raise Refused(f"It returned {len(lines)} lines; at most {MAX_LINES} are read.")
    found: dict[str, Any] = {"lines": len(lines)}
    for number, line in enumerate(lines, start=1):
        name, usable = f"line {number}", dict(quantities)
        try:
            if isinstance(line, tuple | list) and len(line) == 2 and isinstance(line[0], str):
                waypoint, line = line
                if waypoint not in waypoints:
                    known = ", ".join(map(repr, waypoints))
                    raise Refused(f"no waypoint is called {waypoint[:60]!r}; there are {known}")
                found[f"{name}, waypoint"] = waypoint
                usable = {key: quantities[key] for key in waypoints[waypoint]}
            found |= _line(name, line, usable, minimum, draws)
        except Exception as error:
            found[f"{name}, trouble"] = _trouble(error)[:500]
    return found


def _line(
    name: str,
    line: Any,
    usable: Mapping[str, Any],
    minimum: Mapping[str, Any] | None,
    draws: tuple[str, ...],
) -> dict[str, Any]:
    """Return what one line gives: a value, both sides of an equation, or a mean and its error."""
    if not callable(line):
        raise Refused(f"it is no function: it is a {type(line).__name__}")
    parameters = inspect.signature(line).parameters.values()
    asked = [
        p.name
        for p in parameters
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        and (p.default is p.empty or p.name in usable)
    ]
    for key in asked:
        if key not in usable:
            raise Refused(f"it asks for {key}, and may ask for {', '.join(usable)} only")
    # Copies, since a line may change in place what it is given.
    result = line(**copy.deepcopy({key: usable[key] for key in asked}))
    found: dict[str, Array] = {}
    if isinstance(result, tuple) and len(result) == 2:
        if minimum is None:
            raise Refused("it returns a pair, but there is no equation in this derivation")
        there = line(**copy.deepcopy({key: minimum[key] for key in asked}))
        for side, anywhere, at_minimum in zip(("left", "right"), result, there, strict=True):
            found[f"{name}, {side}"] = _plain(at_minimum)
            found[f"{name}, {side} anywhere"] = _plain(anywhere)
    elif set(asked) & set(draws):
        values = _plain(result)
        if values.shape[:1] != usable[draws[0]].shape[:1]:
            raise Refused(
                f"it asks for {' or '.join(draws)}, so it should return one value for each row"
            )
        found[name] = values.mean(axis=0)
        found[f"{name}, error"] = values.std(axis=0) / np.sqrt(len(values))
    else:
        found[name] = _plain(result)
    if max(item.size for item in found.values()) > MAX_NUMBERS:
        raise Refused(f"it gives more than {MAX_NUMBERS:,} numbers")
    if not all(np.isfinite(item).all() for item in found.values()):
        raise Refused("it gives NaN or infinity")
    return {name: item.reshape(()) if item.size == 1 else item for name, item in found.items()}


def _trouble(error: Exception) -> str:
    """Return what is wrong with a line."""
    if isinstance(error, Refused) or str(error) == "it calls the result that is to be derived":
        return str(error)
    if isinstance(error, NameError) and error.name in ("slope", "minimiser"):
        return f"it uses `{error.name}`, which is there for the checks alone"
    return f"it raised {error!r}"


def _products(phi: Function, x: Array, y: Array) -> dict[str, Any]:
    """Return phi(x).phi(y) along the last axis."""
    features = [_plain(phi(torch.tensor(points))) for points in (x, y)]
    for points, made in zip((x, y), features, strict=True):
        if made.shape[:-1] != points.shape[:-1] or made.ndim != points.ndim:
            raise Refused(
                f"For x of shape {points.shape} the features have shape {made.shape}: the last "
                "axis alone should change."
            )
    if features[0].shape != features[1].shape:
        raise Refused("Two inputs of the same shape give features of different lengths.")
    return {"phi(x) . phi(y)": np.sum(features[0] * features[1], axis=-1)}


def _features(A: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return phi: positive features (..., C) of (..., D) for A (D, C)."""
    return lambda x: torch.log1p(torch.exp(x @ A))


def _there(value: Any) -> Any:
    if value is None:
        raise Refused("It returned None: is there a `return`?")
    return value


def _several(value: Any, names: str, number: int) -> Any:
    """Return a pair or another group of so many numbers as one array."""
    _there(value)
    if not isinstance(value, tuple | list | np.ndarray | torch.Tensor) or len(value) != number:
        raise Refused(f"It should return {number} numbers, {names}.")
    return [_one_number(item) for item in value]


def _one_number(value: Any) -> Any:
    """Return a number, which may stand alone in an array."""
    array = _plain(_there(value))
    if array.size != 1:
        raise Refused(f"It should return one number; it returned an array of shape {array.shape}.")
    return array.reshape(())[()]


def _plain(value: Any) -> Array:
    """Return numbers as an array; Refused for what is none."""
    if isinstance(value, torch.Tensor):
        value = value.detach().numpy()
    try:
        array = np.asarray(_there(value))
    except ValueError as error:
        raise Refused(f"It is not an array of numbers ({error}).") from error
    if array.dtype.kind not in "iufb" or array.dtype.kind == "b":
        raise Refused(f"It should return numbers; it returned {type(value).__name__}.")
    return array
