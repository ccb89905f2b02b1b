"""hw3_proofs: its questions, and how each is asked and checked."""

from collections.abc import Callable, Sequence

import numpy as np

from autograder.kit import (
    Array,
    Close,
    Derivation,
    Homework,
    Inputs,
    Limits,
    LinearInLength,
    Question,
    SameGrowth,
    Unbiased,
    Value,
    one_case,
)

from . import cases, derivations, reference, words
from .counts import Within


def _formula(
    id: str,
    right: Callable[..., dict[str, Array]],
    draw: Callable[[np.random.Generator], Sequence[Inputs]] = one_case,
    *,
    allowed: float = cases.NUMBER_TOLERANCE,
    adapter: str = "",
    distance: bool = True,
    says: Callable[[Inputs, Value], tuple[str, ...]] = lambda inputs, value: (),  # noqa: ARG005
    gradients: bool | None = None,
    extra: bool = False,
) -> Question:
    """Return a question that compares what a function of the same name gives.

    distance: whether to say by how much it is off, which gives the answer away where a student
    knows the input, or there is none.
    """
    check = Close(right, allowed, words.describe, says, distance)
    return Question(
        id, check, draw, use=adapter or id, hide=PROVIDED, gradients=gradients, extra=extra
    )


def _derivation(
    check: Derivation,
    draw: Callable[[np.random.Generator], Sequence[Inputs]],
    id: str,
    *,
    gradients: bool | None = None,
    extra: bool = False,
) -> Question:
    return Question(id, check, draw, use=id, hide=PROVIDED, gradients=gradients, extra=extra)


# What the notebook provides to try answers out on is no answer.
PROVIDED = ("slope", "minimiser", "all_pairs")

HOMEWORK = Homework(
    warm=("torch", "matplotlib.pyplot", "tqdm"),
    limits=Limits(question_seconds=40.0),
    allowed_leaks={
        "-2.17, 1.98, 2.41, -2.03], [0.02, -0.01, 0.01, -0.02": "the data of the figure",
        "gradient of the reconstruction loss": "a check names the line that it looks at",
        "gradient of the regularisation loss": "a check names the line that it looks at",
    },
    questions=(
        _formula(
            "purification_losses",
            reference.purification_losses,
            cases.losses_cases,
            adapter="losses",
            distance=False,
            says=words.losses,
        ),
        _formula(
            "purification_threshold",
            reference.purification_threshold,
            adapter="threshold",
            allowed=cases.THRESHOLD_TOLERANCE,
            distance=False,
            says=words.threshold,
        ),
        # The gradients of part 1 are derived on paper; nothing flows.
        _derivation(
            derivations.GRADIENTS, cases.purifier_lines, "purifier_derivation", gradients=False
        ),
        _formula(
            "purifier",
            reference.purifier,
            cases.purifier_cases,
            allowed=cases.MATRIX_TOLERANCE,
            says=words.purifier,
            gradients=False,
        ),
        Question("argue_purifier"),
        _derivation(derivations.EIGENVALUES, cases.svd_lines, "svd_derivation", extra=True),
        _formula(
            "purifier_from_svd",
            reference.purifier_from_svd,
            cases.svd_cases,
            allowed=cases.MATRIX_TOLERANCE,
            says=words.purifier,
            extra=True,
        ),
        _formula(
            "lambda_interval",
            reference.lambda_interval,
            adapter="interval",
            distance=False,
            says=words.interval,
            extra=True,
        ),
        _formula(
            "argmax_attention", reference.argmax_attention, cases.argmax_cases, says=words.argmax
        ),
        Question("argue_argmax"),
        _formula("dot_mean", reference.dot_mean, cases.moment_cases, adapter="mean"),
        _derivation(derivations.MOMENTS, cases.variance_lines, "variance_derivation"),
        _formula(
            "dot_variance",
            reference.dot_variance,
            cases.moment_cases,
            adapter="variance",
            says=words.variance,
        ),
        _formula("scale", reference.scale, cases.scale_cases, distance=False),
        Question("argue_scale"),
        Question("argue_denominator"),
        _derivation(derivations.TERMS, cases.features_lines, "features_derivation"),
        _formula(
            "quadratic_features",
            reference.quadratic_products,
            cases.features_cases,
            allowed=cases.PRODUCTS_TOLERANCE,
            adapter="quadratic_products",
        ),
        _formula(
            "feature_dimension",
            reference.feature_dimension,
            cases.dimension_cases,
            says=words.count,
            distance=False,
        ),
        _derivation(derivations.SUMS, cases.linear_lines, "linear_derivation"),
        _formula(
            "kernel_attention",
            reference.kernel_attention,
            cases.attention_cases,
            allowed=cases.FEATURES_TOLERANCE,
            says=words.attention,
        ),
        Question(
            "kernel_attention_cost",
            # What watches inputs computes, too, and would be counted: `kernel_attention` is watched.
            LinearInLength(
                ratio=5.0,
                held=8.0,
                rows=reference.counted_rows,
                tolerance=cases.COUNTED_TOLERANCE,
            ),
            cases.cost_cases,
            objects=("kernel_attention",),
            may_mutate=("kernel_attention",),
            needs=("kernel_attention",),
            # The lengths are those of the check; `check` cannot see them, as it would be counted.
            milder=dict.fromkeys("QKV", "what looks at inputs is counted, too"),
        ),
        Question(
            "costs",
            SameGrowth(
                {
                    "softmax_time": (reference.softmax_time,),
                    "softmax_memory": (reference.softmax_memory,),
                    "linear_time": (reference.linear_time,),
                    "linear_memory": (reference.linear_memory, reference.linear_memory_by_rows),
                },
                cases.VARIABLES,
            ),
            cases.growth_cases,
            objects=("softmax_time", "softmax_memory", "linear_time", "linear_memory"),
        ),
        Question("argue_linear"),
        _derivation(derivations.FACTORS, cases.gaussian_lines, "gaussian_derivation"),
        _formula("gaussian_sigma", reference.gaussian_sigma, cases.sigma_cases, distance=False),
        _formula(
            "random_features",
            reference.random_products,
            cases.random_features_cases,
            allowed=cases.FEATURES_TOLERANCE,
            adapter="random_products",
        ),
        Question(
            "sample_frequencies",
            Unbiased(
                "the frequencies",
                lambda inputs: (inputs["D_random"], inputs["D"]),
                lambda draws, inputs: np.cos(draws @ inputs["away"].T),
                reference.gaussian_kernel,
                too_large="The kernel comes out too large, as with frequencies that are too narrow.",
                too_small="The kernel comes out too small, as with frequencies that are too wide.",
            ),
            cases.frequencies_cases,
        ),
        Question("argue_random"),
        _derivation(derivations.BLOCKS, cases.blocks_lines, "merge_derivation"),
        _formula("merge", reference.merge, cases.merge_cases, allowed=cases.MERGE_TOLERANCE),
        Question(
            "attend_in_blocks",
            Within(
                Close(
                    reference.attend_in_blocks,
                    cases.BLOCKS_TOLERANCE,
                    words.describe,
                    words.attention,
                ),
                "the largest tensor",
                reference.largest_allowed,
                "it makes a tensor of {count} numbers; {allowed} are allowed.",
            ),
            cases.blocks_cases,
            # What watches its arguments would be counted: the adapter watches.
            may_mutate=("attend_in_blocks",),
        ),
        Question(
            "decode",
            Within(
                Close(reference.decode, cases.LOGITS_TOLERANCE, words.describe),
                "operations",
                reference.operations_allowed,
                "it takes {count} operations; {allowed} are allowed. What is computed again?",
            ),
            cases.decode_cases,
            may_mutate=("decode",),
            milder=dict.fromkeys(
                (*(f"w[{name!r}]" for name in "EPQKVU"), "tokens", "cache"),
                "what looks at inputs is counted, too",
            ),
        ),
        _formula(
            "cache_bytes",
            reference.cache_bytes,
            cases.cache_cases,
            distance=False,
        ),
    ),
)
