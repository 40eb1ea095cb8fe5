"""Values as JSON from which they come back the same: to the last bit, with their types.

`bnml._plain` is for readers, who need no types. This is for files that bnml reads again. What JSON does not have is an
object with one key that begins with ``@``: tuples, sets, numbers that are not finite, arrays, and mappings whose keys
are no texts.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Callable, Mapping, Set
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

MOST_BYTES = 1 << 31  # of an array, unpacked: a small file could fill the memory


def to_stored(value: Any) -> Any:
    """Return a value as JSON can say it; `from_stored` returns the value again.

    Raises
    ------
    TypeError
        If it is, or holds, something else than numbers, texts, truth values, None, arrays of numbers, and lists,
        tuples, sets and mappings of these.

    Examples
    --------
    >>> to_stored({"arc": ("A", "B"), "within": float("inf"), "order": [2, 1]})
    {'arc': {'@tuple': ['A', 'B']}, 'within': {'@number': 'inf'}, 'order': [2, 1]}
    >>> from_stored(to_stored((frozenset({"B", "A"}), 0.1)))[1]
    0.1
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.generic):
        return to_stored(value.item())
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"@number": str(float(value))}
    if isinstance(value, np.ndarray):
        return {"@array": _packed(value)}
    if isinstance(value, list):
        return [to_stored(item) for item in value]
    if isinstance(value, tuple):
        return {"@tuple": [to_stored(item) for item in value]}
    if isinstance(value, Set):
        return {"@set": sorted((to_stored(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True))}
    if isinstance(value, Mapping):
        if all(isinstance(key, str) and not key.startswith("@") for key in value):
            return {key: to_stored(item) for key, item in value.items()}
        return {"@pairs": [[to_stored(key), to_stored(item)] for key, item in value.items()]}
    raise TypeError(f"a {type(value).__name__} cannot be written to a file")


def from_stored(value: Any) -> Any:
    """Return the value that `to_stored` was given; sets are frozen.

    Raises
    ------
    ValueError
        If it is nothing that `to_stored` returns.
    """
    if isinstance(value, list):
        return [from_stored(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((tag, content),) = value.items()
        if tag in _TAGS:
            return _TAGS[tag](content)
    if any(key.startswith("@") for key in value):
        raise ValueError(f"there are no values of the kind {', '.join(value)}")
    return {key: from_stored(item) for key, item in value.items()}


def _packed(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    if array.dtype.kind not in "biuf":
        raise TypeError(f"an array of {array.dtype} cannot be written to a file")
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return {
        "type": little.dtype.str,
        "shape": list(array.shape),
        "zlib": base64.b64encode(zlib.compress(little.tobytes())).decode("ascii"),
    }


def _unpacked(content: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    kind = np.dtype(content["type"])
    if kind.kind not in "biuf":
        raise ValueError(f"arrays of {kind} are not written to files")
    size = math.prod(content["shape"]) * kind.itemsize
    if not 0 <= size <= MOST_BYTES:
        raise ValueError(f"an array of {size:,} bytes is not read")
    packed = base64.b64decode(content["zlib"], validate=True)
    values = np.frombuffer(zlib.decompressobj().decompress(packed, size + 1), kind)
    return values.reshape(content["shape"]).astype(kind.newbyteorder("="))


_TAGS: dict[str, Callable[[Any], Any]] = {
    "@number": float,
    "@array": _unpacked,
    "@tuple": lambda items: tuple(from_stored(item) for item in items),
    "@set": lambda items: frozenset(from_stored(item) for item in items),
    "@pairs": lambda pairs: {from_stored(key): from_stored(item) for key, item in pairs},
}


def by_fields(value: Any, *without: str) -> Any:
    """Return a dataclass as a mapping from its fields, a table as one from its columns, and what is in them likewise.

    A graph becomes its names and its edges. What a dataclass works out by itself is left out, and fields of the
    outermost that are named. A table's rows are numbered from 0; a column of texts becomes its type and a list.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"from": ["A"], "gain": [0.5]})
    >>> frame_from_stored(from_stored(to_stored(by_fields(frame)))).equals(frame)
    True
    """
    if is_dataclass(value):
        kept = (one.name for one in fields(value) if one.init and one.name not in without)
        return {name: by_fields(getattr(value, name)) for name in kept}
    if hasattr(value, "columns"):  # of pandas, which need not be loaded to know
        columns = {str(name): (column, column.to_numpy()) for name, column in value.items()}
        return {
            name: numbers if numbers.dtype.kind in "biuf" else (str(column.dtype), column.tolist())
            for name, (column, numbers) in columns.items()
        }
    if hasattr(value, "undirected"):  # a graph
        return value.names, value.directed, value.undirected
    if hasattr(value, "arcs"):
        return value.names, value.arcs
    return tuple(map(by_fields, value)) if type(value) is tuple else value


def frame_from_stored(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table with these columns."""
    import pandas as pd

    def column(values: Any) -> Any:
        return pd.Series(values[1], dtype=values[0]) if isinstance(values, tuple) else values

    return pd.DataFrame({name: column(values) for name, values in columns.items()})
