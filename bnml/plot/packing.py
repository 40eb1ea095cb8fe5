"""Packing: the connected parts of a graph side by side, and the nodes without arcs in rows below them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt

Point = tuple[int, int]

PIECE_GAP = 360
SINGLE_GAP = 180


@dataclass(frozen=True)
class Piece:
    """A laid out part of a graph, its upper left corner at (0, 0)."""

    positions: Mapping[int, Point]
    routes: Mapping[tuple[int, int], tuple[Point, ...]]
    width: int
    height: int

    @classmethod
    def of_one(cls, node: int, width: int, height: int) -> Piece:
        """Make a piece of a single box."""
        return cls({node: (width // 2, height // 2)}, {}, width, height)

    @classmethod
    def around(
        cls,
        positions: Mapping[int, Point],
        sizes: Mapping[int, tuple[int, int]],
        routes: Mapping[tuple[int, int], tuple[Point, ...]],
    ) -> Piece:
        """Make a piece of what stands anywhere."""
        corners = [point for route in routes.values() for point in route]
        for v, (x, y) in positions.items():
            width, height = sizes[v]
            corners += [(x - width // 2, y - height // 2), (x + width // 2, y + height // 2)]
        left, top = min(x for x, _ in corners), min(y for _, y in corners)
        piece = cls(positions, routes, max(x for x, _ in corners) - left, max(y for _, y in corners) - top)
        return piece.moved(-left, -top)

    def moved(self, dx: int, dy: int) -> Piece:
        """Return the piece at another place."""
        return Piece(
            {v: (x + dx, y + dy) for v, (x, y) in self.positions.items()},
            {arc: tuple((x + dx, y + dy) for x, y in route) for arc, route in self.routes.items()},
            self.width,
            self.height,
        )


def pack(pieces: Sequence[Piece]) -> Piece:
    """Return one piece with all of them: the parts with arcs on shelves, large ones first, then the single boxes."""
    parts = sorted((piece for piece in pieces if piece.routes), key=lambda piece: -len(piece.positions))
    singles = [piece for piece in pieces if not piece.routes]
    area = sum((piece.width + PIECE_GAP) * (piece.height + PIECE_GAP) for piece in parts)
    area += sum((piece.width + SINGLE_GAP) * (piece.height + SINGLE_GAP) for piece in singles)
    room = max([isqrt(2 * area), *(piece.width for piece in pieces)])  # about twice as wide as high
    shelves = [_beside(shelf, PIECE_GAP) for shelf in _shelves(parts, room)]
    if singles:
        shelves.append(_rows_of_singles(singles, room))
    return _stacked(shelves, PIECE_GAP)


def _shelves(pieces: Sequence[Piece], room: int) -> list[list[Piece]]:
    """Put each piece on the first shelf that has room for it."""
    shelves: list[list[Piece]] = []
    free: list[int] = []
    for piece in pieces:
        k = next((k for k, left in enumerate(free) if left >= piece.width), len(shelves))
        if k == len(shelves):
            shelves.append([])
            free.append(room)
        shelves[k].append(piece)
        free[k] -= piece.width + PIECE_GAP
    return shelves


def _rows_of_singles(singles: Sequence[Piece], room: int) -> Piece:
    """Set single boxes in a grid; those much wider than most would stretch its columns and come below it."""
    usual = sorted(piece.width for piece in singles)[len(singles) // 2]
    grid = _grid([piece for piece in singles if piece.width <= 2 * usual], room)
    wide = _shelves([piece for piece in singles if piece.width > 2 * usual], room)
    return _stacked([grid, *(_beside(shelf, SINGLE_GAP) for shelf in wide)], SINGLE_GAP)


def _grid(singles: Sequence[Piece], room: int) -> Piece:
    """Set single boxes in rows and columns."""
    width, height = max(piece.width for piece in singles), max(piece.height for piece in singles)
    fitting = max(1, (room + SINGLE_GAP) // (width + SINGLE_GAP))
    rows = -(-len(singles) // fitting)
    columns = -(-len(singles) // rows)
    moved = []
    for k, piece in enumerate(singles):
        x = k % columns * (width + SINGLE_GAP) + (width - piece.width) // 2
        y = k // columns * (height + SINGLE_GAP) + (height - piece.height) // 2
        moved.append(piece.moved(x, y))
    return _joined(moved, columns * (width + SINGLE_GAP) - SINGLE_GAP, rows * (height + SINGLE_GAP) - SINGLE_GAP)


def _beside(pieces: Sequence[Piece], gap: int) -> Piece:
    moved, x = [], 0
    for piece in pieces:
        moved.append(piece.moved(x, 0))
        x += piece.width + gap
    return _joined(moved, x - gap, max(piece.height for piece in pieces))


def _stacked(pieces: Sequence[Piece], gap: int) -> Piece:
    moved, y = [], 0
    width = max(piece.width for piece in pieces)
    for piece in pieces:
        moved.append(piece.moved((width - piece.width) // 2, y))
        y += piece.height + gap
    return _joined(moved, width, y - gap)


def _joined(pieces: Sequence[Piece], width: int, height: int) -> Piece:
    return Piece(
        {v: point for piece in pieces for v, point in piece.positions.items()},
        {arc: route for piece in pieces for arc, route in piece.routes.items()},
        width,
        height,
    )
