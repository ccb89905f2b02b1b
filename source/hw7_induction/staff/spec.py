"""hw7_induction: its questions, and how each is asked and checked."""

from autograder.kit import Close, Homework, Question

from . import cases, reference
from .designed import Induction, Pattern
from .words import all_words, copied_places, previous_places, words_with_a_copy

# Means of numbers up to 1, perhaps in single precision.
SCORE = 1e-5

HOMEWORK = Homework(
    warm=("torch", "matplotlib.pyplot", "tqdm"),
    questions=(
        Question(
            "previous_weights",
            Pattern(all_words, previous_places),
            use="one_layer",
            gradients=False,
        ),
        Question(
            "copy_weights",
            Pattern(words_with_a_copy, copied_places),
            use="one_layer",
            gradients=False,
        ),
        Question("induction_weights", Induction(), use="two_layers", gradients=False, par=46),
        Question("one_layer_cannot"),
        Question(
            "previous_score",
            Close(reference.previous_score, SCORE, cases.describe, says_how_far=False),
            cases.weight_cases,
        ),
        Question(
            "copy_score",
            Close(reference.copy_score, SCORE, cases.describe, says_how_far=False),
            cases.word_cases,
        ),
        Question(
            "induction_score",
            Close(reference.induction_score, SCORE, cases.describe, says_how_far=False),
            cases.word_cases,
        ),
        Question("which_design"),
        Question("fixed_period"),
    ),
    allowed_leaks={
        "letter, place, found = slice(0, 4), slice(4, 7), slice(7, 11)": "how rooms are written",
        "V[letter, found] = np.eye(4)": "how rooms are written",
        "letter, place, note, answer = slice(0, 4), slice(4, 10), slice(10, 16), slice(16, 20)": (
            "the last hint has the rooms"
        ),
        "U[answer] = np.eye(4)": "the last hint has what both designs share",
        "V2[letter, answer] = np.eye(4)": "the last hint has what both designs share",
    },
)
