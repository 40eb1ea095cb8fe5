"""The machine code of kernels on disk, so kept that damage does no harm.

Numba keeps what it has compiled in a folder, and takes what it finds there for what it has written. A file that was cut
off, that was overwritten, or that there is no room for would end in any error at all, far from its cause; rubbish in
place of machine code would end the process. So here a file ends with a digest of what is before it, a file whose digest
is wrong counts as missing, and what cannot be written is not kept. Either is said once, as a warning.
"""

from __future__ import annotations

import hashlib
import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.caching import IndexDataCacheFile, NullCache
from numba.misc.appdirs import AppDirs

DIGEST_BYTES = 16
DAMAGED = "the compiled kernels in {where!r} cannot be used ({why}); they are compiled anew"
NOT_KEPT = (
    "the compiled kernels cannot be kept{where} ({why}), and are compiled again in every process; "
    "set NUMBA_CACHE_DIR to a folder with room for them"
)


_said: list[str] = []


def _say(text: str) -> None:
    """Warn, once in a process."""
    if not _said:
        _said.append(text)
        warnings.warn(text, stacklevel=2)


def cache_folder() -> Path:
    """Return the folder for what concerns all kernels, found as Numba finds the folders of single ones."""
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR)
    own = Path(__file__).parent
    return own / "__pycache__" if os.access(own, os.W_OK) else Path(AppDirs("numba", False).user_cache_dir)


class _DigestedFile(IndexDataCacheFile):  # type: ignore[misc]  # its class has no types
    """The files of one kernel, each with a digest at its end, which Numba's own reader does not look at."""

    def _load_index(self) -> Any:
        _check(self._index_path)
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _check(self._data_path(name))
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[Any]:
        content = io.BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + _digest(content.getvalue()))


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


def _check(path: str) -> None:
    """Raise an error if there is such a file, and it does not end with its digest."""
    with suppress(FileNotFoundError):
        content = Path(path).read_bytes()
        if _digest(content[:-DIGEST_BYTES]) != content[-DIGEST_BYTES:]:
            raise ValueError("damaged")


class _CarefulCache:
    """Numba's cache of one kernel, or none: what it cannot load is compiled, and what it cannot save is not kept."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for some types; None if there is nothing that can be used."""
        try:
            return self._cache.load_overload(sig, target_context)
        except Exception as error:  # what a damaged file raises can be anything
            _say(DAMAGED.format(where=str(self._cache.cache_path), why=_reason(error)))
        with suppress(Exception):
            self._cache.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if that is possible."""
        try:
            self._cache.save_overload(sig, data)
        except Exception as error:  # the folder is full, gone, or not ours
            _say(NOT_KEPT.format(where=f" in {str(self._cache.cache_path)!r}", why=_reason(error)))
        else:
            if isinstance(self._cache, NullCache):
                _say(NOT_KEPT.format(where="", why="there is no folder that can be written"))


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or "damaged"


def careful_cache(dispatcher: Any) -> None:
    """Let a kernel's cache be careful."""
    cache = dispatcher._cache
    if not isinstance(cache, NullCache):
        own, stamp = cache._impl.filename_base, cache._impl.locator.get_source_stamp()
        cache._cache_file = _DigestedFile(cache.cache_path, f"{own}.digest", stamp)
    dispatcher._cache = _CarefulCache(cache)
