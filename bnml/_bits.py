"""Sets of small integers as Python integers: bit ``i`` is set when ``i`` is a member.

A graph on n nodes is then a list of n masks. Union, intersection and difference of neighbourhoods are single
operations on machine words, which keeps graphs of thousands of nodes quick without any array library. Kernels take
sets as rows of 64-bit words (`words_of_masks`).

Python hashes an integer modulo 2^61 - 1, so that bit ``i`` and bit ``i + 61`` count the same: the millions of pairs of
thousands of nodes have 1,891 different hashes. So a set of nodes is looked up by its `set_key`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

WORD = 61  # bits of a hash: of smaller masks no two have the same
WORD_BITS = 62  # of a 64-bit word that are in use


def bits(mask: int) -> Iterator[int]:
    """Yield the members of a mask, smallest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(members: Iterable[int]) -> int:
    """Return the mask with these members."""
    mask = 0
    for member in members:
        mask |= 1 << int(member)  # NumPy's integers would overflow
    return mask


def set_key(mask: int) -> int | bytes:
    """Return what stands for a mask in a dict or set: itself, or its bytes, whose hashes are spread for any mask."""
    size = mask.bit_length()
    return mask if size < WORD else mask.to_bytes((size + 7) // 8, "little")


def union(masks: Sequence[int], members: int) -> int:
    """Return the union of ``masks[i]`` over the members ``i``."""
    result = 0
    for i in bits(members):
        result |= masks[i]
    return result


def closure(masks: Sequence[int] | Mapping[int, int], start: int) -> int:
    """Return ``start`` and all that can be reached from it by steps from ``i`` to ``masks[i]``."""
    reached = todo = start
    while todo:
        low = todo & -todo
        new = masks[low.bit_length() - 1] & ~reached
        reached |= new
        todo = (todo ^ low) | new
    return reached


def transposed(masks: Sequence[int]) -> list[int]:
    """Turn parents into children: ``j`` is in the result's ``i`` when ``i`` is in ``masks[j]``."""
    result = [0] * len(masks)
    for j, mask in enumerate(masks):
        bit = 1 << j
        for i in bits(mask):
            result[i] |= bit
    return result


def permuted_masks(masks: Sequence[int], order: Sequence[int]) -> list[int]:
    """Renumber a graph of masks: the new node ``k`` is the old node ``order[k]``."""
    new = {old: k for k, old in enumerate(order)}
    return [mask_of(new[i] for i in bits(masks[old])) for old in order]


def members(mask: int) -> list[int]:
    """Return the members of a mask, smallest first."""
    return list(bits(mask))


def subsets(mask: int) -> Iterator[int]:
    """Yield all subsets of a set, the largest first."""
    some = mask
    while True:
        yield some
        if some == 0:
            return
        some = (some - 1) & mask


def minimal_masks(sets: Iterable[int]) -> list[int]:
    """Return the masks that no other is a proper subset of, the smallest first."""
    result: list[int] = []
    for mask in sorted(set(sets), key=lambda mask: (mask.bit_count(), mask)):
        if not any(smaller & ~mask == 0 for smaller in result):
            result.append(mask)
    return result


def squeeze(mask: int, i: int) -> int:
    """Leave bit ``i`` out of a set: the bits above it move down."""
    return (mask & ((1 << i) - 1)) | (mask >> (i + 1) << i)


def words_of_masks(masks: Sequence[int], n: int) -> npt.NDArray[np.uint64]:
    """Return bit masks of n things as rows of 64-bit words."""
    import numpy as np

    width = max(1, -(-n // 64))
    content = b"".join(mask.to_bytes(8 * width, "little") for mask in masks)
    return np.frombuffer(content, "<u8").astype(np.uint64).reshape(len(masks), width)


def masks_of_words(words: npt.NDArray[np.uint64]) -> list[int]:
    """Return rows of 64-bit words as bit masks."""
    return [int.from_bytes(row.astype("<u8").tobytes(), "little") for row in words]


def masks_without(n: int, child: int) -> npt.NDArray[np.int64]:
    """Return the masks of all sets of n things without one of them, in the order of their numbers without its bit."""
    import numpy as np

    numbers = np.arange(1 << (n - 1))
    low = (1 << child) - 1
    return (numbers & low) | ((numbers & ~low) << 1)


def sizes_of_masks(n: int) -> npt.NDArray[np.int8]:
    """Return the number of members of each mask of n things."""
    import numpy as np

    sizes = np.zeros(1, np.int8)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + np.int8(1)])
    return sizes


def ternary_numbers(n: int) -> npt.NDArray[np.int64]:
    """Return for each set, a number by its bits, the number with base 3 that has its bits as digits.

    A state (S, T) has the number ternary[S ∖ T] + 2 ternary[T].
    """
    import numpy as np

    numbers = np.zeros(1, np.int64)
    for i in range(n):
        numbers = np.concatenate([numbers, numbers + 3**i])
    return numbers
