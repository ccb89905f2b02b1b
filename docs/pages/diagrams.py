"""The drawn diagrams of the notebooks: source/<homework>/figures/<name>.svg.

They have no ground of their own, and ink that can be read on a white and on a dark page.

python -m docs.pages.diagrams
"""

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from xml.sax.saxutils import escape

from autograder.kit.notebook.style import COLOURS, INK
from tests.helpers import ROOT

BLACK, FAINT = "#1A1A1A", "#8C8C8C"
PALE = {"token": "#E6F1F8", "position": "#FDF3DC", "head": "#E5F5F0"}


class Drawing:
    """An SVG picture, drawn from the back to the front, with a title and a description."""

    def __init__(self, width: int, height: int, title: str, description: str) -> None:
        arrow = '<marker id="{0}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="{1}"/></marker>'
        self.arrows = {INK: "ink", **{colour: name for name, colour in COLOURS.items()}}
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'role="img" aria-labelledby="title desc" font-family="Helvetica, Arial, sans-serif" font-size="14">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(description)}</desc>',
            "<defs>"
            + "".join(arrow.format(name, colour) for colour, name in self.arrows.items())
            + "</defs>",
        ]

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: str = "middle",
        colour: str = INK,
        size: int = 14,
        bold: bool = False,
    ) -> None:
        """Write words whose middle line is at y; `_` begins an index of one character."""
        pieces = escape(words).split("_")
        line = pieces[0] + "".join(
            f'<tspan dy="4" font-size="{size - 4}">{piece[0]}</tspan><tspan dy="-4">{piece[1:]}</tspan>'
            for piece in pieces[1:]
        )
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y + 0.35 * size:g}" text-anchor="{anchor}" fill="{colour}" '
            f'font-size="{size}"{weight}>{line}</text>'
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        words: str = "",
        *,
        colour: str = INK,
        fill: str = "white",
        size: int = 14,
    ) -> None:
        """Draw a box with words in its middle."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{fill}" '
            f'stroke="{colour}" stroke-width="2"/>'
        )
        if words:
            self.text(x + width / 2, y + height / 2, words, size=size, colour=BLACK)

    def line(
        self,
        *points: tuple[float, float],
        colour: str = INK,
        width: float = 2,
        arrow: bool = True,
        dashed: bool = False,
    ) -> None:
        """Draw a line through points, with an arrow at its end."""
        end = f' marker-end="url(#{self.arrows[colour]})"' if arrow else ""
        dashes = ' stroke-dasharray="4 4"' if dashed else ""
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"{end}{dashes}/>'
        )

    def circle(
        self, x: float, y: float, radius: float, *, colour: str = INK, fill: str = "white"
    ) -> None:
        """Draw a circle."""
        self.parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{colour}" stroke-width="2"/>'
        )

    def grid(
        self, x: float, y: float, filled: Iterable[Iterable[bool]], colour: str, cell: float = 26
    ) -> None:
        """Draw a grid of cells, some of them filled."""
        for i, row in enumerate(filled):
            for j, full in enumerate(row):
                self.parts.append(
                    f'<rect x="{x + j * cell:g}" y="{y + i * cell:g}" width="{cell:g}" height="{cell:g}" '
                    f'fill="{colour if full else "white"}" stroke="{FAINT}"/>'
                )

    def written(self) -> str:
        """Return the picture as text."""
        return "\n".join([*self.parts, "</svg>"]) + "\n"


def token_without_knowledge() -> Drawing:
    """Homework 1: token 2 reads the others through one head, and gets two questions."""
    picture = Drawing(
        700,
        330,
        "A token that knows nothing gets two questions",
        "Four tokens in a row. Token 1 is four times plus one, token 4 four times minus one; tokens 2 and 3 "
        "are noise. One head gives each token a weight, p1 to p4, which it has to learn. The weighted "
        "average z of the tokens goes to a readout. It answers whether token 1 is positive, and fails at "
        "the question whether tokens 1 and 4 differ.",
    )
    places = (90, 263, 437, 610)
    middle = 350
    for number, (x, numbers) in enumerate(
        zip(places, ("+1 +1 +1 +1", ".3 -.7 .1 .5", "-.2 .9 .4 -.6", "-1 -1 -1 -1"), strict=True), 1
    ):
        knows = number in (1, 4)
        colour = COLOURS["token"] if knows else FAINT
        picture.line((x, 238), (middle, 166), colour=COLOURS["head"], width=3, arrow=False)
        fill = PALE["token"] if knows else "#F2F2F2"
        picture.box(x - 65, 238, 130, 40, numbers, colour=colour, fill=fill)
        picture.text(x, 293, f"token {number}", bold=True)
        aside = 26 if number < 3 else -26
        picture.text(0.55 * x + 0.45 * middle - aside, 202, f"p_{number}", size=13)
    picture.text(places[1], 314, "has to answer, and is noise itself", size=13)
    picture.box(
        middle - 80, 124, 160, 42, "z = Σ p_j x_j", colour=COLOURS["head"], fill=PALE["head"]
    )
    picture.text(middle - 94, 145, "one head", anchor="end", bold=True)
    for x, question, answer in (
        (180, "Is token 1 positive?", "learned: right nearly every time"),
        (520, "Do tokens 1 and 4 differ?", "impossible: right at most 3 times in 4"),
    ):
        picture.line((middle, 124), (x, 74))
        picture.box(x - 120, 34, 240, 38, question)
        picture.text(x, 16, answer, size=13)
    return picture


def attention_head() -> Drawing:
    """Homework 2: the matrices of one head."""
    picture = Drawing(
        720,
        310,
        "One attention head",
        "The input x, one row for each token with its position beside it, is multiplied by Qm, Km and Vm. "
        "This makes queries Q, keys K and values V. Q times K transposed, divided by the square root of d, "
        "gives the scores, a matrix of queries and keys; a softmax along each row gives the weights; the "
        "weights times V give the output, one row for each token.",
    )
    picture.box(20, 105, 74, 52, "token", colour=COLOURS["token"], fill=PALE["token"])
    picture.box(20, 157, 74, 48, "position", colour=COLOURS["position"], fill=PALE["position"])
    picture.text(57, 222, "x", bold=True)
    for y, matrix, name, words in (
        (40, "Qm", "Q", "what it looks for"),
        (135, "Km", "K", "how it is found"),
        (240, "Vm", "V", "what it gives"),
    ):
        picture.line((96, 155), (116, 155), (116, y + 20), (136, y + 20))
        picture.box(140, y, 56, 40, matrix, colour=COLOURS["head"], fill=PALE["head"])
        picture.line((196, y + 20), (226, y + 20))
        picture.box(230, y, 60, 40, name)
        picture.text(260, y + 54, words, size=13)
    picture.line((290, 60), (330, 60), (330, 82), (350, 82))
    picture.line((290, 155), (330, 155), (330, 112), (350, 112))
    picture.box(354, 70, 110, 54, "Q Kᵀ / √d", colour=COLOURS["head"], fill=PALE["head"])
    picture.text(409, 54, "scores", size=13)
    picture.line((464, 97), (496, 97))
    picture.box(500, 70, 90, 54, "softmax", colour=COLOURS["head"], fill=PALE["head"])
    picture.text(545, 54, "each row sums to 1", size=13)
    picture.line((590, 97), (650, 97), (650, 186))
    picture.text(642, 140, "weights", anchor="end", size=13)
    picture.line((290, 260), (560, 260), (560, 210), (596, 210))
    picture.box(600, 190, 100, 40, "weights V", colour=COLOURS["head"], fill=PALE["head"])
    picture.line((650, 230), (650, 262))
    picture.text(650, 278, "output", bold=True)
    return picture


def all_scores() -> Drawing:
    """Homework 2, part 1: a loop makes one row of scores, a product makes all."""
    picture = Drawing(
        620,
        330,
        "All scores at once",
        "Two ways to the scores of four tokens. Above: a loop takes one row of Q, a query, times K "
        "transposed, and gets one row of scores; it needs four steps. Below: all of Q times K transposed "
        "is the whole square of scores in one product. A softmax along each row gives the weights.",
    )
    green, blue = COLOURS["head"], COLOURS["token"]
    whole, cell = ((1, 1),) * 4, 24
    one = ((0, 0), (1, 1), (0, 0), (0, 0))
    for y, heading, queries, scores in (
        (
            40,
            "A loop: one query, one row of scores, four times",
            one,
            ((0,) * 4, (1,) * 4, (0,) * 4, (0,) * 4),
        ),
        (200, "One product: every query with every key", whole, ((1,) * 4,) * 4),
    ):
        picture.text(20, y - 22, heading, anchor="start", bold=True)
        middle = y + 2 * cell
        picture.grid(40, y, queries, blue, cell)
        picture.text(40 + cell, y + 4 * cell + 14, "Q (n, d)", size=13)
        picture.text(118, middle, "times", size=13)
        picture.grid(150, y + cell, ((1,) * 4,) * 2, blue, cell)
        picture.text(150 + 2 * cell, y + 3 * cell + 14, "Kᵀ (d, n)", size=13)
        picture.text(276, middle, "→", size=20)
        picture.grid(310, y, scores, green, cell)
        picture.text(310 + 2 * cell, y + 4 * cell + 14, "scores (n, n)", size=13)
        picture.text(424, middle - 10, "row: a query", anchor="start", size=13)
        picture.text(424, middle + 10, "column: a key", anchor="start", size=13)
    return picture


def feature_map() -> Drawing:
    """Homework 3: all pairs, or a summary."""
    picture = Drawing(
        720,
        330,
        "Attention through a feature map",
        "Two ways to the same output. Above: queries with N rows times keys transposed and a softmax give "
        "a square of N times N weights, which is multiplied by the values: the cost grows with the "
        "square of N. Below: the features of the keys, transposed, times the values give one small "
        "summary of C times M numbers, which each query's features read: the cost grows with N.",
    )
    green, blue = COLOURS["head"], COLOURS["token"]
    picture.text(20, 24, "Every pair: N² weights", anchor="start", bold=True)
    picture.box(20, 50, 34, 90, "Q", colour=blue, fill=PALE["token"])
    picture.text(77, 95, "times", size=13)
    picture.box(100, 78, 76, 34, "Kᵀ", colour=blue, fill=PALE["token"])
    picture.text(215, 78, "softmax", size=13)
    picture.text(215, 95, "→", size=20)
    picture.box(254, 50, 90, 90, "N × N", colour=green, fill=PALE["head"])
    picture.text(370, 95, "times", size=13)
    picture.box(396, 50, 40, 90, "V", colour=blue, fill=PALE["token"])
    picture.text(468, 95, "→", size=20)
    picture.box(498, 50, 40, 90, "")
    picture.text(554, 95, "output, N × M", anchor="start", size=13)
    picture.text(
        20, 190, "A feature map φ: one summary, then N readings", anchor="start", bold=True
    )
    picture.box(40, 226, 90, 46, "φ(K)ᵀ", colour=blue, fill=PALE["token"])
    picture.text(158, 249, "times", size=13)
    picture.box(188, 204, 40, 90, "V", colour=blue, fill=PALE["token"])
    picture.text(258, 249, "→", size=20)
    picture.box(288, 226, 40, 46, "S", colour=green, fill=PALE["head"])
    picture.text(308, 288, "C × M", size=13)
    picture.box(372, 204, 46, 90, "φ(Q)", colour=blue, fill=PALE["token"])
    picture.text(446, 249, "times", size=13)
    picture.box(474, 226, 40, 46, "S", colour=green, fill=PALE["head"])
    picture.text(544, 249, "→", size=20)
    picture.box(574, 204, 40, 90, "")
    picture.text(628, 249, "the same", anchor="start", size=13)
    picture.text(
        40,
        312,
        "where weight(q, k) = φ(q) · φ(k), each row divided by its sum",
        anchor="start",
        size=13,
    )
    return picture


def blocks() -> Drawing:
    """Homework 3: attention in one pass, block by block."""
    picture = Drawing(
        720,
        270,
        "Attention block by block",
        "Three blocks of keys and values. Each becomes three quantities, m, l and o. Those of the first "
        "two blocks are merged, the third is merged with the result, and the output is o divided by l.",
    )
    green, blue = COLOURS["head"], COLOURS["token"]
    for number, x in enumerate((20, 200, 380), 1):
        picture.box(x, 40, 140, 40, f"block {number}: K, V", colour=blue, fill=PALE["token"])
        picture.line((x + 70, 80), (x + 70, 112), colour=blue)
        picture.box(x + 8, 114, 124, 38, f"m_{number}, l_{number}, o_{number}", colour=green)
    picture.text(20, 20, "all queries read one block after the other", anchor="start", bold=True)
    picture.line((90, 152), (90, 214), (208, 214), colour=green)
    picture.line((270, 152), (270, 192), colour=green)
    picture.box(210, 194, 120, 40, "merge", colour=green, fill=PALE["head"])
    picture.line((330, 214), (388, 214), colour=green)
    picture.line((450, 152), (450, 192), colour=green)
    picture.box(390, 194, 120, 40, "merge", colour=green, fill=PALE["head"])
    picture.line((510, 214), (568, 214), colour=green)
    picture.box(570, 194, 130, 40, "output = o / l")
    picture.text(360, 200, "m, l, o", size=12)
    picture.text(540, 200, "m, l, o", size=12)
    picture.text(20, 256, "the scores of one block at a time: N × size", anchor="start", size=13)
    return picture


def pad_and_mask() -> Drawing:
    """Homework 4: what each position sees, in two layers."""
    picture = Drawing(
        720,
        330,
        "Two tokens, a pad and a causal mask",
        "Three positions: token i, token j and a pad. With the mask, position 1 sees only itself, position 2 "
        "sees both tokens, the pad sees all three. After layer 1 the first state knows i alone and the "
        "second knows i and j, so in layer 2 the pad can tell which was first. At the right the mask as a "
        "triangle of allowed weights.",
    )
    blue, orange, green = COLOURS["token"], COLOURS["position"], COLOURS["head"]
    places = (70, 220, 370)
    for x, word in zip(places, ("i", "j", "pad"), strict=True):
        pad = word == "pad"
        picture.box(
            x,
            262,
            100,
            40,
            word,
            colour=orange if pad else blue,
            fill=PALE["position"] if pad else "#E6F1F8",
        )
    for to, (x, state) in enumerate(
        zip(places, ("i alone", "i and j", "i, j: no order"), strict=True)
    ):
        for start in range(to + 1):
            picture.line((places[start] + 50, 262), (x + 50, 204), colour=green)
            if to == 2:
                picture.line((places[start] + 50, 160), (x + 50, 102), colour=green)
        picture.box(x - 4, 160, 108, 40, state, colour=green, fill=PALE["head"])
    picture.box(366, 58, 108, 40, "i, then j", colour=green, fill=PALE["head"])
    picture.text(56, 180, "layer 1", anchor="end", size=13)
    picture.text(56, 78, "layer 2", anchor="end", size=13)
    picture.text(420, 34, "the answer is read here", size=13)
    picture.text(610, 140, "the causal mask", bold=True)
    picture.grid(571, 176, ((1, 0, 0), (1, 1, 0), (1, 1, 1)), "#8FD0BA")
    for n, word in enumerate(("i", "j", "pad")):
        picture.text(584 + 26 * n, 164, word, size=12)
        picture.text(564, 189 + 26 * n, word, size=12, anchor="end")
    picture.text(610, 270, "filled: may be seen", size=13)
    return picture


def one_bag() -> Drawing:
    """Homework 4: two sentences with the same words."""
    picture = Drawing(
        700,
        190,
        "Two sentences, one bag of words",
        "At the left the sentences dog bites man and man bites dog, each word in a box. Arrows lead from both "
        "to one bag in the middle with the words bites, dog and man, and from the bag to the question who "
        "bites whom at the right.",
    )
    blue, green = COLOURS["token"], COLOURS["head"]
    for y, words in ((22, ("dog", "bites", "man")), (128, ("man", "bites", "dog"))):
        for n, word in enumerate(words):
            picture.box(10 + 76 * n, y, 70, 38, word, colour=blue, fill=PALE["token"])
        picture.line((240, y + 19), (318, 95 + (y - 75) * 0.35))
    picture.circle(382, 95, 62, colour=green, fill=PALE["head"])
    for y, word in ((68, "bites"), (95, "dog"), (122, "man")):
        picture.text(382, y, word, colour=BLACK)
    picture.line((446, 95), (506, 95))
    picture.text(514, 95, "who bites whom?", anchor="start", bold=True, size=16)
    return picture


def pure_and_mixed() -> Drawing:
    """Homework 4, part 4: the first state lies on an embedding's line, the second between two."""
    picture = Drawing(
        560,
        300,
        "A pure state and a mixed one",
        "Two arrows from one point are the embeddings x i and x j. The state h 1 is twice x i, on the dashed "
        "line of x i. The state h 2 is x j and a half, plus a half of x i: it lies between the two dashed lines.",
    )
    blue, orange = COLOURS["token"], COLOURS["position"]
    zero, i, j = (60.0, 250.0), (150.0, -34.0), (52.0, -112.0)

    def at(of_i: float, of_j: float) -> tuple[float, float]:
        return zero[0] + of_i * i[0] + of_j * j[0], zero[1] + of_i * i[1] + of_j * j[1]

    picture.line(zero, at(2.6, 0), arrow=False, dashed=True, width=1)
    picture.line(zero, at(0, 2.1), arrow=False, dashed=True, width=1)
    picture.line(at(0, 1.5), at(0.5, 1.5), arrow=False, dashed=True, width=1)
    picture.line(zero, at(1, 0), colour=blue, width=3)
    picture.line(zero, at(0, 1), colour=blue, width=3)
    picture.text(at(1, 0)[0] - 10, at(1, 0)[1] + 22, "x_i", bold=True)
    picture.text(at(0, 1)[0] - 24, at(0, 1)[1] + 4, "x_j", bold=True)
    for place, down, colour, name, words in (
        (at(2, 0), 22, blue, "h_1", "pure: it knows i alone"),
        (at(0.5, 1.5), -14, orange, "h_2", "mixed: it has seen i and j"),
    ):
        picture.circle(*place, 7, colour=colour, fill=colour)
        picture.text(place[0] + 14, place[1] + down, name, anchor="start", bold=True)
        picture.text(place[0] + 42, place[1] + down, words, anchor="start", size=13)
    return picture


def turned_together() -> Drawing:
    """Homework 4, part 6: query and key turn with their positions, the angle between them stays."""
    picture = Drawing(
        560,
        270,
        "Turned together",
        "Two dials, each with the query q and the key k as hands. At the left their positions are 2 and 1, "
        "at the right 5 and 4: both hands are turned on by the same angle, and the angle between them is "
        "the same.",
    )
    for x, m in ((135.0, 2), (425.0, 5)):
        y, radius, arc = 125.0, 95.0, 42.0
        query, key = (math.radians(angle) for angle in (30 * m, 75 + 30 * (m - 1)))

        def at(angle: float, far: float, x: float = x, y: float = y) -> tuple[float, float]:
            return x + far * math.cos(angle), y - far * math.sin(angle)

        picture.circle(x, y, radius, colour=FAINT, fill="none")
        start, end = at(query, arc), at(key, arc)
        picture.parts.append(
            f'<path d="M{start[0]:.1f} {start[1]:.1f}A{arc:g} {arc:g} 0 0 0 {end[0]:.1f} {end[1]:.1f}" '
            f'fill="none" stroke="{COLOURS["position"]}" stroke-width="3"/>'
        )
        for angle, name in ((query, "q"), (key, "k")):
            picture.line((x, y), at(angle, radius - 4), colour=COLOURS["token"], width=3)
            picture.text(*at(angle, radius + 14), name, bold=True)
        picture.text(x, 250, f"query at {m}, key at {m - 1}")
    picture.text(280, 105, "three steps", size=13)
    picture.line((245, 125), (315, 125))
    return picture


def residual_stream() -> Drawing:
    """Homework 5: heads read both positions and add to a stream."""
    picture = Drawing(
        700,
        290,
        "Attention and nothing else: heads that add to a stream",
        "Two positions. The residual stream runs from the second, x 2, to the unembedding and the logits. "
        "Each head reads the first position and the second, as it is before any head has written, mixes them with "
        "two weights that sum to one, and adds what it writes to the stream. Nothing else is in the model.",
    )
    blue, orange, green = COLOURS["token"], COLOURS["position"], COLOURS["head"]
    picture.box(20, 30, 120, 44, "x_1: position 1", colour=blue, fill=PALE["token"])
    picture.box(20, 208, 120, 44, "x_2: position 2", colour=orange, fill=PALE["position"])
    picture.line((140, 52), (474, 52), colour=blue, arrow=False)
    picture.line((140, 230), (554, 230), width=5)
    # All heads read x_2 as it was before any of them wrote.
    picture.line((166, 230), (166, 184), colour=orange, arrow=False)
    # A bridge over each arrow that it crosses.
    picture.parts.append(
        f'<path d="M166 184H240a6 6 0 0 1 12 0H364a6 6 0 0 1 12 0H448" fill="none" '
        f'stroke="{orange}" stroke-width="2"/>'
    )
    picture.circle(166, 230, 4, colour=orange, fill=orange)
    for x, name in ((220, "head 1"), (344, "head 2"), (474, "head H")):
        picture.line((x, 52), (x, 106), colour=blue)
        picture.line((x - 26, 184), (x - 26, 156), colour=orange)
        picture.circle(x - 26, 184, 3, colour=orange, fill=orange)
        picture.box(x - 44, 110, 88, 42, name, colour=green, fill=PALE["head"])
        picture.line((x + 26, 152), (x + 26, 216), colour=green)
        picture.circle(x + 26, 230, 11, colour=green)
        picture.text(x + 26, 230, "+", bold=True)
    picture.text(409, 131, "…", size=18)
    picture.text(330, 270, "the residual stream: what all heads write is added to it", size=13)
    picture.box(560, 208, 84, 44, "unembed")
    picture.line((602, 208), (602, 168))
    picture.text(602, 152, "logits", bold=True)
    return picture


def circles() -> Drawing:
    """Homework 6: adding angles is adding modulo p."""
    picture = Drawing(
        720,
        300,
        "Adding on a circle is adding modulo p",
        "Three clock faces with twelve numbers. The first hand is at 7, the second at 8, and the third at 3: "
        "turning by 7 and then by 8 steps of a twelfth ends at 3, since 7 plus 8 is 15, and 15 modulo 12 is 3. "
        "A number as cosine and sine is a place on the circle.",
    )
    blue, orange = COLOURS["token"], COLOURS["test"]
    for x, number, colour, word in (
        (120, 7, blue, "a = 7"),
        (350, 8, blue, "b = 8"),
        (590, 15, orange, "a + b = 15 ≡ 3"),
    ):
        picture.circle(x, 140, 78, colour=FAINT)
        for n in range(12):
            angle = math.pi * n / 6
            picture.text(x + 94 * math.sin(angle), 140 - 94 * math.cos(angle), str(n), size=12)
        angle = math.pi * number / 6
        picture.line(
            (x, 140), (x + 70 * math.sin(angle), 140 - 70 * math.cos(angle)), colour=colour, width=4
        )
        picture.circle(x, 140, 4, fill=INK)
        picture.text(x, 262, word, bold=True, colour=INK)
    picture.text(235, 140, "+", size=26)
    picture.text(468, 140, "=", size=26)
    picture.text(
        360,
        286,
        "a number n as (cos 2πn/p, sin 2πn/p): multiplying adds the angles, and a whole turn is forgotten (here p = 12)",
        size=13,
    )
    return picture


def switches() -> Drawing:
    """Homework 5, part 4: two heads add vectors, and the row with the largest product wins."""
    picture = Drawing(
        700,
        330,
        "A fact is a sum of vectors whose largest product is with the right row",
        "Two planes, each with the rows of an unembedding for five tokens a to e as rays from one point. "
        "A path begins at the same point: x 2, which stands for the second token j, then what head 1 adds, "
        "then what head 2 adds; it ends at y. On the left the first token is i, and row b has the largest "
        "product with y. On the right the first token is k: head 1 looks at it and adds a different vector, "
        "head 2 looks at j and adds the same one, and row d has the largest product with y.",
    )
    blue, orange, green = COLOURS["token"], COLOURS["position"], COLOURS["head"]
    for x, first, winner, of_head_1, words in (
        (175, "i", "b", (-70, -62), ((36, 4), (18, -68))),
        (505, "k", "d", (-16, 84), ((-46, 122), (74, 62))),
    ):
        picture.text(x, 18, f"the context ({first}, j)", bold=True)
        for n, token in enumerate("abcde"):
            across, down = (
                math.cos(math.radians(162 - 72 * n)),
                -math.sin(math.radians(162 - 72 * n)),
            )
            wins = token == winner
            end = x + 104 * across, 170 + 104 * down
            picture.line((x, 170), end, colour=blue, width=4 if wins else 1, arrow=wins)
            picture.text(x + 120 * across, 170 + 120 * down, token, bold=wins, size=16)
        at = (x, 170.0)
        for step, colour in (((46, 22), orange), (of_head_1, green), ((30, -40), green)):
            to = at[0] + step[0], at[1] + step[1]
            picture.line(at, to, colour=colour, width=3)
            at = to
        picture.circle(*at, 5, colour=INK, fill=INK)
        picture.text(x + 60, 198, "x_2", size=13)
        for head, (place, looks_at) in enumerate(zip(words, (first, "j"), strict=True), 1):
            picture.text(
                x + place[0],
                170 + place[1],
                f"head {head} looks at {looks_at}",
                anchor="start",
                size=13,
            )
        picture.text(x, 316, f"row {winner} has the largest product with y", size=13)
    return picture


def induction() -> Drawing:
    """Homework 7: after A D ... A comes D again."""
    picture = Drawing(
        600,
        220,
        "After A D and a later A, the model predicts D again",
        "The letters C A D B A and a box with a question mark in a row. A green arc leads from the last A "
        "back to the first A: the same letter came before. A green arrow leads from there to the letter "
        "after it, D. A blue arc leads from D to the question mark: D comes next.",
    )
    blue, green = COLOURS["token"], COLOURS["head"]
    middles = [50 + 100 * number for number in range(6)]
    for x, letter in zip(middles, "CADBA?", strict=True):
        edge = blue if letter in "AD" else FAINT
        picture.box(
            x - 32,
            82,
            64,
            54,
            letter,
            colour=edge,
            fill=PALE["token"] if letter in "AD" else "white",
            size=26,
        )
    _, first, behind, _, last, unknown = middles
    picture.line((last, 82), (last, 46), (first, 46), (first, 80), colour=green, width=3)
    picture.line((first + 32, 109), (behind - 34, 109), colour=green, width=3)
    picture.text((first + last) / 2, 24, "1. Look back: where was this letter?", bold=True, size=18)
    picture.line((behind, 136), (behind, 172), (unknown, 172), (unknown, 138), colour=blue, width=3)
    picture.text((behind + unknown) / 2, 196, "2. Copy what came next: D", bold=True, size=18)
    return picture


DIAGRAMS: dict[str, Callable[[], Drawing]] = {
    "hw1_toy_attention/token": token_without_knowledge,
    "hw2_transformer/head": attention_head,
    "hw2_transformer/all_scores": all_scores,
    "hw3_proofs/feature_map": feature_map,
    "hw3_proofs/blocks": blocks,
    "hw4_position/one_bag": one_bag,
    "hw4_position/pure_and_mixed": pure_and_mixed,
    "hw4_position/pad_and_mask": pad_and_mask,
    "hw4_position/turned_together": turned_together,
    "hw5_memorization/residual_stream": residual_stream,
    "hw5_memorization/switches": switches,
    "hw6_grokking/circles": circles,
    "hw7_induction/induction": induction,
}


def path(name: str) -> Path:
    """Return where a diagram is."""
    homework, _, file = name.partition("/")
    return ROOT / "source" / homework / "figures" / f"{file}.svg"


def main() -> None:
    """Write them all."""
    for name, draw in DIAGRAMS.items():
        path(name).parent.mkdir(exist_ok=True)
        path(name).write_text(draw().written(), encoding="utf-8")


if __name__ == "__main__":
    main()
