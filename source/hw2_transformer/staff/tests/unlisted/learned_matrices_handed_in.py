"""The learned matrices of the notebook are handed in as a design."""

FAILS = ("identity", "copy_first", "unique")
WORDS = {
    "identity": "learned|recorded|given|your own",
    "copy_first": "learned|recorded|given|your own",
    "unique": "learned|recorded|given|your own",
}


def identity_weights():
    return LEARNED_IDENTITY


def copy_first_weights():
    return LEARNED_COPY_FIRST


def unique_weights():
    return LEARNED_UNIQUE
