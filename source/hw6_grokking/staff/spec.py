"""hw6_grokking: its questions, and how each is asked and checked."""

from autograder.kit import Close, Homework, Limits, Question, tolerance

from . import cases, models, reference

# What is computed with a table of cosines in single precision, at angles of up to 300.
KEPT, POWER = 1e-3, 1e-4
# Of logits and slopes. Of the naive form: queries and keys, scores, average, output, neurons and back, logits.
LOGITS = tolerance(
    ((24, 2.0), (6, 2.0), (3, 1.0), (24, 1.0), (24, 1.0), (20, 1.0), (24, 1.0)), scale=5.0
)
SHARE = 1e-6
# Of weights after steps of 0.02 each, in double precision.
STEPS = 1e-5

FORWARD = {"fast_forward": "`fast_forward` itself is right."}
START = {
    **FORWARD,
    "one_epoch": "`one_epoch` itself is right.",
    "initial_weights": "`initial_weights` itself is right.",
}

HOMEWORK = Homework(
    warm=("torch", "matplotlib.pyplot", "tqdm"),
    questions=(
        Question(
            "naive_forward",
            Close(reference.naive_forward, LOGITS, cases.describe_model),
            cases.naive_cases,
            gradients=True,
        ),
        Question(
            "fast_forward",
            Close(reference.fast_forward, LOGITS, cases.describe_model),
            cases.fast_cases,
            gradients=True,
        ),
        Question(
            "fast_cost",
            models.CHEAP,
            cases.cost_cases,
            objects=("fast_forward",),
            needs=("fast_forward",),
            gradients=True,
        ),
        Question(
            "initial_weights",
            models.DRAWN,
            cases.initial_cases,
            gradients=True,
        ),
        Question(
            "one_epoch",
            Close(reference.one_epoch, STEPS, cases.describe_epochs),
            cases.epoch_cases,
            objects=("fast_forward", "one_epoch"),
            may_mutate=("one_epoch",),
            gradients=False,
            if_right=FORWARD,
        ),
        Question(
            "log_reproduction",
            models.LOG,
            objects=("fast_forward", "one_epoch", "initial_weights"),
            needs=("one_epoch",),
            if_right=START,
        ),
        Question(
            "groks",
            models.GROKS,
            objects=("fast_forward", "initial_weights", "one_epoch"),
            needs=("one_epoch",),
            if_right=START,
        ),
        Question(
            "mirror_share",
            Close(reference.mirror_share, SHARE, cases.describe_split, says_how_far=False),
            cases.mirror_cases,
        ),
        Question("argue_plateau"),
        Question(
            "fourier_power",
            Close(reference.fourier_power, POWER, cases.describe_embedding),
            cases.fourier_cases,
        ),
        Question(
            "keep_and_remove",
            Close(reference.keep_and_remove, KEPT, cases.describe_choice),
            cases.keep_cases,
        ),
        Question("argue_circuit"),
    ),
    allowed_leaks={
        """
        aten = torch.ops.aten
        elementwise = aten.mul, aten.mul_, aten.addcmul, aten.addr, aten.mv, aten.addmv
        sparse = aten._sparse_mm, aten._sparse_addmm, aten.hspmm, aten.sparse_sampled_addmm
        further = {
        **dict.fromkeys((*elementwise, aten.dot, aten.vdot), entries),
        **dict.fromkeys((*sparse, aten.addbmm, aten._addmm_activation), matrices),
        aten._scaled_dot_product_flash_attention_for_cpu: attention,
        }
        """: "what the counter of PyTorch leaves out, which the visible check has to count as well"
    },
    # What is trained takes one or two seconds of a core. Thirty times that is left for forms that are slow.
    limits=Limits(question_seconds=60.0, submission_seconds=300.0),
)
