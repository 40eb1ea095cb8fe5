"""Pieces side by side."""

from __future__ import annotations

from itertools import combinations

from bnml.plot.packing import Piece, pack


def piece(first, width, height):
    """Make a piece with an arc from its upper left to its lower right corner."""
    return Piece(
        {first: (0, 0), first + 1: (width, height)}, {(first, first + 1): ((0, 0), (width, height))}, width, height
    )


def test_pieces_do_not_overlap():
    sizes = [(3000, 1000), (500, 2000), (700, 700), (4000, 300), (100, 100)]
    pieces = [piece(2 * k, *size) for k, size in enumerate(sizes)]
    singles = [Piece.of_one(100 + k, 400, 200) for k in range(7)]
    whole = pack([*singles, *pieces])
    rectangles = [(*whole.positions[2 * k], *whole.positions[2 * k + 1]) for k in range(len(sizes))]
    rectangles += [(x - 200, y - 100, x + 200, y + 100) for x, y in (whole.positions[100 + k] for k in range(7))]
    for (left, top, right, bottom), (left2, top2, right2, bottom2) in combinations(rectangles, 2):
        assert right < left2 or right2 < left or bottom < top2 or bottom2 < top
    for left, top, right, bottom in rectangles:
        assert 0 <= left < right <= whole.width
        assert 0 <= top < bottom <= whole.height
    assert {arc: (route[0], route[-1]) for arc, route in whole.routes.items()} == {
        (2 * k, 2 * k + 1): (whole.positions[2 * k], whole.positions[2 * k + 1]) for k in range(len(sizes))
    }


def test_single_boxes_in_rows():
    whole = pack([Piece.of_one(k, 400, 200) for k in range(6)])
    assert len({y for _, y in whole.positions.values()}) == 2
    assert [whole.positions[k][1] for k in range(6)] == sorted(whole.positions[k][1] for k in range(6))


def test_one_wide_box_leaves_the_others_in_rows():
    widths = [400] * 5 + [9000] + [400] * 6
    whole = pack([Piece.of_one(k, width, 200) for k, width in enumerate(widths)])
    rows: dict[int, list[int]] = {}
    for k, (_, y) in whole.positions.items():
        rows.setdefault(y, []).append(k)
    assert [5] in rows.values()
    assert len(rows) == 2
    for k, width in enumerate(widths):
        x, y = whole.positions[k]
        assert width // 2 <= x <= whole.width - width // 2
        assert 100 <= y <= whole.height - 100


def test_around_starts_at_the_corner():
    found = Piece.around(
        {0: (50, 60), 1: (50, 300)}, {0: (40, 20), 1: (80, 20)}, {(0, 1): ((50, 70), (200, 80), (50, 290))}
    )
    assert (found.width, found.height) == (190, 260)
    assert found.positions == {0: (40, 10), 1: (40, 250)}
