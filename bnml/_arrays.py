"""The kinds of arrays that annotations name."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]
Array = Any  # of kernels, which are typed by Numba, not by mypy
