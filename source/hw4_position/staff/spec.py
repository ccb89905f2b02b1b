"""hw4_position: its questions, and how each is asked and checked."""

from autograder.kit import Close, Homework, Property, Question, tolerance

from . import cases, models, reference

EXACT = 1e-9
# In single precision; two counts of pairs are 1/900 apart.
SHARE = 1e-6
# Of each layer: queries and keys, scores, average, output, both linear maps; each is normalised.
LAYER = ((16, 2.0), (8, 2.0), (3, 1.0), (16, 1.0), (16, 1.0), (64, 1.0))
STATES = tolerance((*LAYER, *LAYER), scale=1.0)
LOGITS = tolerance((*LAYER, *LAYER, (16, 1.0)), scale=1.0)
GAP = tolerance(((2, 1.0),), scale=2.0)
# Angles up to 120 radians in single precision, times numbers of a few units.
TURNED = 5e-4
BIAS = 1e-5

TRAINING = {
    "table_logits": "`table_logits` earned its own points.",
    "train_table": "`train_table` earned its own points.",
}

HOMEWORK = Homework(
    warm=("torch", "matplotlib.pyplot", "tqdm"),
    questions=(
        Question(
            "ceiling",
            Close(reference.ceiling, SHARE, cases.describe_table, says_how_far=False),
            cases.ceiling_cases,
        ),
        Question(
            "causal_mask",
            models.CausalMask(
                reference.masked, STATES, cases.describe_length, cases.nothing_to_look_at
            ),
            cases.masked_cases,
            use="masked",
            gradients=False,
        ),
        Question(
            "table_logits",
            models.Trainable(reference.table_logits, LOGITS, cases.describe_model),
            cases.logits_cases,
            gradients=True,
        ),
        Question(
            "swap_gap",
            Close(reference.swap_gap, GAP, cases.describe_answers, says_how_far=False),
            cases.swap_cases,
        ),
        Question("argue_invariance"),
        Question(
            "order_from_states",
            Close(reference.order_from_states, EXACT, cases.describe_states),
            cases.order_cases,
        ),
        Question(
            "train_table",
            models.TABLE,
            cases.table_cases,
            use="trained_table",
        ),
        Question(
            "symmetric_control",
            models.SYMMETRIC,
            objects=("table_logits", "train_table", "symmetric_control"),
            if_right=TRAINING,
        ),
        Question(
            "no_mask_control",
            models.NO_MASK,
            objects=("table_logits", "train_table", "no_mask_control"),
            if_right=TRAINING,
        ),
        Question("argue_position"),
        Question(
            "rotate",
            Close(reference.rotate, TURNED, cases.describe_rows),
            cases.rotate_cases,
            gradients=True,
            extra=True,
        ),
        Question(
            "previous_by_rotation",
            Property(reference.looks_back, cases.describe_width),
            cases.width_cases,
            gradients=False,
            extra=True,
        ),
        Question("argue_relative", extra=True),
        Question(
            "alibi_bias",
            Close(reference.alibi_bias, BIAS, cases.describe_heads, says_how_far=False),
            cases.heads_cases,
            gradients=False,
            extra=True,
        ),
    ),
    allowed_leaks={"alibi_bias": "the slopes of some heads, of which the text has the formula"},
)
