"""Ways in which files are damaged or forged: bytes that change, and values of JSON that are not those written."""

from __future__ import annotations

import copy
import io
import random
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

ODD: list[Any] = [
    None, True, False, -1, 0, 1, 2, 7, 255, 256, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, -0.0, 1e-320, 1e308,
    float("nan"), float("inf"), float("-inf"), "", " ", "x", "NaN", "-", "../x", "\0", "\ud800", "é" * 300, "0" * 5000,
    [], {}, [[]], [None], [0, [1]], {"": {}}, {"x": "y"}, ["a", "a"], [["a", "b"]], {"@set": [[]]}, {"@set": [{}]},
    {"@tuple": [{"@array": {}}]}, {"@number": "x"}, {"@number": []}, {"@pairs": [1]}, {"@pairs": [[[], 1]]},
    {"@array": {"type": "<f8", "shape": [10**12], "zlib": "eJwDAAAAAAE="}},
    {"@array": {"type": "O", "shape": [0], "zlib": "eJwDAAAAAAE="}}, {"@what": 1},
]  # fmt: skip


def damaged_bytes(rng: random.Random, content: bytes) -> bytes:
    """Return bytes of which a few are flipped, overwritten, cut out, put in, doubled or cut off."""
    damaged = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if not damaged:
            break
        at, size = rng.randrange(len(damaged)), rng.choice((1, 1, 4, 16, 200))
        match rng.randrange(6):
            case 0:
                damaged[at] ^= 1 << rng.randrange(8)
            case 1:
                damaged[at : at + size] = rng.randbytes(min(size, len(damaged) - at))
            case 2:
                del damaged[at : at + size]
            case 3:
                damaged[at:at] = rng.randbytes(size)
            case 4:
                damaged[at:at] = damaged[at : at + size]
            case 5:
                if rng.random() < 0.3:
                    del damaged[at:]
                else:
                    damaged[at : at + size] = bytes(len(damaged[at : at + size]))
    return bytes(damaged)


def damaged_value(rng: random.Random, value: Any) -> Any:
    """Return a value of JSON in which one or two parts are of another type, out of range, gone, doubled or renamed."""
    root = [copy.deepcopy(value)]
    for _ in range(rng.choice((1, 1, 2))):
        places = list(_places(root))
        holder, key = rng.choice(places)
        match rng.randrange(8):
            case 0 if holder is not root:
                del holder[key]
            case 1 if isinstance(holder, list) and holder is not root:
                holder.insert(key, copy.deepcopy(holder[key]))
            case 2 if isinstance(holder, dict):
                holder[str(rng.choice(ODD))[:20]] = holder.pop(key)
            case 3:
                other, there = rng.choice(places)
                holder[key] = copy.deepcopy(other[there])
            case 4 if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
                holder[key] = rng.choice((-holder[key], holder[key] + 1, holder[key] * 1000, str(holder[key])))
            case 5 if isinstance(holder[key], str):
                holder[key] = holder[key][: rng.randrange(len(holder[key]) + 1)] + rng.choice(("", "x", "é", "0"))
            case _:
                holder[key] = copy.deepcopy(rng.choice(ODD))
    return root[0]


def _places(holder: Any) -> Any:
    """Yield each part of a value with what holds it."""
    for key, item in list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder)):
        yield holder, key
        if isinstance(item, dict | list):
            yield from _places(item)


def unpacked(archive: bytes) -> dict[str, bytes]:
    """Return the files of a zip archive."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return {name: files.read(name) for name in files.namelist()}


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def damaged_archive(
    rng: random.Random, archive: bytes, damage: Callable[[random.Random, bytes], bytes] = damaged_bytes
) -> bytes:
    """Return a zip archive in which one of the files is damaged, and packed again."""
    files = unpacked(archive)
    name = rng.choice(sorted(files))
    return packed({**files, name: damage(rng, files[name])})
