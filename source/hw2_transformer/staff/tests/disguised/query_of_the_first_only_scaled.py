"""One column of pos: 1 for the first position, 0 for the others, used for keys and queries alike."""

MISTAKE = "query_of_the_first_only"
FAILS = ("copy_first",)


def copy_first_weights():
    pos = [[1], [0], [0], [0], [0]]
    Km = [[0], [0], [0], [30]]
    Qm = [[0], [0], [0], [2]]
    Vm = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    return Km, Qm, Vm, pos
