"""Turn a student's objects into plain arrays. Runs in the sandbox; holds no answer."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from autograder.kit import Array, Refused, plain, several, watched

from .shared import sequences


def port(
    PytorchTransformer: Any,
    Km: Array,
    Qm: Array,
    Vm: Array,
    seq: Array,
    pos: Array | None = None,
    later: Array | None = None,
    lengths: Array | None = None,
) -> dict[str, Any]:
    """Build the model, load the given weights by name, and return its output for each sequence.

    It gets all of them twice, the second time from the last to the first. `beside` names the
    weights that the model has beyond these.
    """
    model = _loaded(PytorchTransformer, Km, Qm, Vm, seq.shape[1], pos)
    every = sequences(seq, later, lengths)
    outputs = {name: plain(_output(model, one), "the output") for name, one in every.items()}
    for name, one in reversed(every.items()):
        again = plain(_output(model, one), "the output")
        if outputs[name].shape != again.shape or not np.allclose(
            outputs[name], again, equal_nan=True
        ):
            raise Refused(
                "Evaluated twice, it gives different numbers: is there dropout, or chance, or "
                "something that the model keeps of other sequences?"
            )
    return {**outputs, "beside": _beside(model)}


def _beside(model: torch.nn.Module) -> str:
    """Name the weights that were not asked for."""
    given = {"Qm.weight", "Km.weight", "Vm.weight", "pos.weight"}
    return ", ".join(sorted(name for name, _ in model.named_parameters() if name not in given))


def _output(model: torch.nn.Module, seq: Array) -> Any:
    """Return what a forward pass gives for a sequence, if it is one thing."""
    # As the notebook's own tensors are: of torch's default type.
    tokens = torch.tensor(seq, dtype=torch.get_default_dtype())
    output = watched(lambda seq: model(seq), "forward")(tokens)
    if output is None:
        raise Refused("forward returned None: is there a `return`?")
    if isinstance(output, tuple):
        raise Refused(f"forward returned a tuple of {len(output)} things: return the output alone.")
    if isinstance(output, dict):
        raise Refused("forward returned a dictionary: return the output alone.")
    return output


def port_gradients(
    PytorchTransformer: Any,
    Km: Array,
    Qm: Array,
    Vm: Array,
    seq: Array,
    pos: Array,
    direction: Array,
) -> dict[str, Any]:
    """Return the gradients of sum(output * direction), in the shapes of the numpy matrices."""
    model = _loaded(PytorchTransformer, Km, Qm, Vm, seq.shape[1], pos)
    with torch.enable_grad():
        # A model keeps nothing of them, and takes longer and shorter ones than its first.
        for before in (seq[1:], seq[::-1].copy(), seq[:1]):
            _output(model, before)
        output = _output(model, seq)
        shape = plain(output, "the output").shape
        if shape != direction.shape:
            raise Refused(f"The output should have shape {direction.shape}, yours has {shape}.")
        if not isinstance(output, torch.Tensor):
            raise Refused(f"forward returned {type(output).__name__}, not a tensor.")
        if not output.requires_grad:
            raise Refused(
                "No gradient can flow back from the output: it was computed outside torch, or detached."
            )
        _backward(output, direction)
    gradients: dict[str, Any] = {"beside": _beside(model)}
    for name in ("Qm", "Km", "Vm", "pos"):
        gradient = model.get_parameter(f"{name}.weight").grad
        if gradient is None:
            raise Refused(f"No gradient reaches {name}.weight from the output.")
        gradients[f"the gradient of {name}"] = gradient if name == "pos" else gradient.T
    return gradients


def port_operations(
    PytorchTransformer: Any,
    short: int,
    long: int,
    Km: Array,
    Qm: Array,
    Vm: Array,
    seq: Array,
    direction: Array,
) -> dict[str, Any]:
    """Count the tensor operations of a forward pass at two lengths; return the longer output.

    Those that gradients go back through are counted in torch's graph, too: whatever thread does
    them and whatever it switches off, they are there, or the gradients are not right.
    """
    counts = []
    model = _loaded(PytorchTransformer, Km, Qm, Vm, seq.shape[1], None, long)
    with torch.enable_grad():
        for length in (short, long):
            tokens = torch.tensor(seq[:length], dtype=torch.get_default_dtype())
            with _Counter() as counter:
                output = model(tokens)
            if not isinstance(output, torch.Tensor):
                raise Refused(f"forward returned {type(output).__name__}, not a tensor.")
            counts.append(max(counter.operations, _recorded(output)))
        if output.requires_grad and output.shape == direction.shape:
            _backward(output, direction)
    weights = {name: model.get_parameter(f"{name}.weight").grad for name in ("Qm", "Km", "Vm")}
    reached = [int(weight is not None) for weight in weights.values()]
    return {
        **{f"the gradient of {name}": plain(w.T) for name, w in weights.items() if w is not None},
        "operations": counts,
        "shape": list(output.shape),
        "expected_shape": [long, Vm.shape[1]],
        "gradients": reached,
        "output": plain(output, "the output"),
    }


def _backward(output: torch.Tensor, direction: Array) -> None:
    """Take the gradients of a sum of the outputs, each times a number."""
    try:
        (output * torch.tensor(direction, dtype=output.dtype)).sum().backward()
    except RuntimeError as error:  # something was changed in place, or belongs to another pass
        why = str(error).split("\n")[0][:300]
        raise Refused(f"torch cannot take the gradients of your output: {why}") from error


_GRAPH: Any = torch._C.TensorBase.grad_fn


def _recorded(output: torch.Tensor) -> int:
    """Return how many operations torch's graph has between weights and output.

    Raises:
        Refused: a part of the graph may stand for any number of operations.
    """
    with torch._C.DisableTorchFunctionSubclass():
        left = [_GRAPH.__get__(output)]  # a class of the student's own may tell another
    seen: set[Any] = set()
    while left:
        node = left.pop()
        if node is None or node in seen:
            continue
        if isinstance(node, torch._C._FunctionBase) or "DifferentiableGraph" in node.name():
            raise Refused(
                "A torch.autograd.Function or a script of torch's hides what forward does, so it "
                "cannot be counted: use torch's own operations."
            )
        seen.add(node)
        left += [before for before, _ in node.next_functions]
    return sum(not node.name().endswith("AccumulateGrad") for node in seen)


class _Counter(TorchDispatchMode):
    """Counts what reaches torch's dispatcher."""

    operations = 0

    def __torch_dispatch__(
        self, operation: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.operations += 1
        return operation(*args, **(kwargs or {}))


def _loaded(
    PytorchTransformer: Any,
    Km: Array,
    Qm: Array,
    Vm: Array,
    input_dim: int,
    pos: Array | None,
    longest: int | None = None,
) -> torch.nn.Module:
    """Return a model of the right sizes with these weights, found by name and not by order.

    Where there is no pos, `longest` may be the longest sequence.
    """
    sizes = (input_dim, Km.shape[1], Vm.shape[1])
    if pos is None:
        model = PytorchTransformer(*sizes, *(() if longest is None else (None, longest)))
    else:
        model = PytorchTransformer(*sizes, pos.shape[1], len(pos))
    if not isinstance(model, torch.nn.Module):
        raise Refused("`PytorchTransformer` is not an nn.Module.")
    given = {"Qm.weight": Qm.T, "Km.weight": Km.T, "Vm.weight": Vm.T}
    if pos is not None:
        given["pos.weight"] = pos
    state = model.state_dict()
    for name, matrix in given.items():
        if name not in state:
            raise Refused(
                f"The model has no weight called {name!r}; its weights are: {', '.join(state) or 'none'}."
            )
        if tuple(state[name].shape) != matrix.shape:
            raise Refused(
                f"With input_dim={input_dim}, pos_dim={0 if pos is None else pos.shape[1]}, "
                f"qk_dim={Km.shape[1]}, v_dim={Vm.shape[1]}: {name} should "
                f"have shape {matrix.shape}, yours has {tuple(state[name].shape)}."
                + (
                    " It is turned round: nn.Linear takes (in, out), and keeps its weight as (out, in)."
                    if tuple(state[name].shape) == matrix.shape[::-1]
                    else ""
                )
            )
        state[name] = torch.tensor(matrix, dtype=state[name].dtype)
    model.load_state_dict(state)
    return model


def three_matrices(function: Callable[[], Any]) -> dict[str, Any]:
    """Return Km, Qm and Vm."""
    return _matrices(function, ("Km", "Qm", "Vm"))


def four_matrices(function: Callable[[], Any]) -> dict[str, Any]:
    """Return Km, Qm, Vm and pos."""
    return _matrices(function, ("Km", "Qm", "Vm", "pos"))


def _matrices(function: Callable[[], Any], names: tuple[str, ...]) -> dict[str, Any]:
    result = function()
    wanted = f"It should return {len(names)} matrices, ({', '.join(names)})"
    if hasattr(result, "keys"):
        raise Refused(f"{wanted}; it returned a {type(result).__name__}.")
    try:
        found = several(result, len(names))
    except Refused as error:
        raise Refused(f"{wanted}; {error}") from error
    return {name: plain(matrix, name) for name, matrix in zip(names, found, strict=True)}


def port_log(PytorchTransformer: Any) -> dict[str, Any]:
    """Return the keys of the original log that speak of the port."""
    torch.manual_seed(1998)
    output = PytorchTransformer(7, 4, 3, 2, 9)(torch.randn(8, 7))
    return {
        "torch_transformer_shape": list(output.shape),
        "torch_transformer_value": output.reshape(-1)[2:7],
        "torch_transformer_init": inspect.getsource(PytorchTransformer.__init__),
        "torch_transformer_forward": inspect.getsource(PytorchTransformer.forward),
    }


def content_log(NumpyTransformer: Any, identity_weights: Callable[[], Any]) -> dict[str, Any]:
    """Return the keys of the original log that speak of attention by content (seed 1997)."""
    return _attention_log("attention_by_content", NumpyTransformer, identity_weights, "CAACBA")


def position_log(NumpyTransformer: Any, copy_first_weights: Callable[[], Any]) -> dict[str, Any]:
    """Return the keys of the original log that speak of attention by position (seed 2017)."""
    return _attention_log("attention_by_position", NumpyTransformer, copy_first_weights, "ABAB")


def _attention_log(
    key: str, NumpyTransformer: Any, function: Callable[[], Any], letters: str
) -> dict[str, Any]:
    matrices = [plain(matrix).astype(np.float64) for matrix in function()]
    output = NumpyTransformer(*matrices).forward(np.eye(3)[["ABC".index(c) for c in letters]])
    names = ("K", "Q", "V", "pos")[: len(matrices)]
    return {key: output.reshape(-1)} | {
        f"{key}_{name}": matrix.reshape(-1) for name, matrix in zip(names, matrices, strict=True)
    }
