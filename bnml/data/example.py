"""The bundled example: 5000 patients of a fictitious chest clinic."""

from __future__ import annotations

from importlib import resources

from bnml.data.data import Data
from bnml.data.read import read

FILE = "chest_clinic.csv.gz"


def example() -> Data:
    """Return the bundled example, to try things out.

    5000 rows drawn from the chest clinic network of Lauritzen & Spiegelhalter (1988): visits to Asia, smoking,
    tuberculosis, lung cancer, bronchitis, either of the first two diseases, a positive X-ray, and shortness of breath.

    Examples
    --------
    >>> import bnml
    >>> bnml.example().names
    ('asia', 'tub', 'smoke', 'lung', 'bronc', 'either', 'xray', 'dysp')
    """
    with resources.as_file(example_path()) as path:
        return read(path)


def example_path() -> resources.abc.Traversable:
    """Return where the bundled example lies."""
    return resources.files("bnml.data") / FILE
