"""Packages that few users need: whoever asks for what one of them does, and does not have it, is told how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bnml.errors import DependencyError

REQUIREMENTS = {  # what pip is asked for, by the name of the module
    "pyagrum": "pyagrum>=2.0",
    "pgmpy": "pgmpy>=0.1.26",
    "openpyxl": "openpyxl>=3.1",
    "arviz": "arviz>=0.17,<1",
    "sklearn": "scikit-learn>=1.6",
    "starlette": "starlette>=0.40",
    "uvicorn": "uvicorn>=0.30",
    "ibis": "ibis-framework[duckdb]>=12,<13",
    "duckdb": "duckdb>=1.4,<2",
    "psycopg": "psycopg[binary]>=3.2",
    "pyspark": "ibis-framework[pyspark]>=12,<13",
}


@contextmanager
def needs(purpose: str, *modules: str) -> Iterator[None]:
    """Say what to install where one of some modules cannot be imported; other errors pass.

    Raises
    ------
    DependencyError
        If what is done inside finds one of the modules, or a part of it, not there.

    Examples
    --------
    >>> with needs("this example", "pyagrum"):
    ...     raise ImportError("No module named 'pyagrum'", name="pyagrum")
    Traceback (most recent call last):
        ...
    bnml.errors.DependencyError: this example needs pyagrum>=2.0 (No module named 'pyagrum'); install it with: \
pip install 'pyagrum>=2.0'
    """
    try:
        yield
    except ImportError as error:
        if _root(error) not in modules:
            raise
        raise missing(purpose, error) from None


def missing(purpose: str, error: ImportError) -> DependencyError:
    """Return what to say where a module could not be imported."""
    root = _root(error)
    requirement = REQUIREMENTS.get(root, root)
    how = f"; install it with: pip install '{requirement}'" if requirement else ""
    return DependencyError(f"{purpose} needs {requirement or 'another package'} ({error}){how}")


def _root(error: ImportError) -> str:
    return (error.name or "").partition(".")[0]
