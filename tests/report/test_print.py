"""A report on paper, by a browser: few pages, and what is folded stays folded."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml

STYLE = (Path(bnml.__file__).parent / "report" / "templates" / "study.css").read_text(encoding="utf-8")
BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


def pages_of(report: Path) -> int:
    """Return on how many pages of A4 a browser prints a report."""
    pdf = report.with_suffix(".pdf")
    asked = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={pdf}"]
    subprocess.run([BROWSER, *asked, str(report)], check=True, capture_output=True, timeout=120)
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf.read_bytes()))


@pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
@pytest.mark.parametrize("target", ["v7", None])
def test_thirty_six_columns_take_six_pages(tmp_path, target, monkeypatch):
    if target is None:  # networks are sampled for the other one
        monkeypatch.setattr("bnml.five_steps.parts.MOST_FOR_SAMPLES", 0)
    rng = np.random.default_rng(0)
    columns: dict[str, np.ndarray] = {}
    for k in range(36):
        above = columns[f"v{(k - 1) // 2}"] if k else rng.integers(0, 3, 500)
        columns[f"v{k}"] = np.where(rng.random(500) < 0.7, above, rng.integers(0, 3, 500))
    found = bnml.study(pd.DataFrame(columns), target, search="tabu", repetitions=2, folds=2)
    found.save(tmp_path / "report.html")
    assert 2 <= pages_of(tmp_path / "report.html") <= 6


def test_what_is_folded_stays_folded():
    paper = STYLE[STYLE.index("@page") :]
    assert "size: A4" in paper
    assert re.search(r"nav, details \{ display: none; \}", paper)
    assert "details" not in STYLE[: STYLE.index("@page")].partition("@media (max-width")[2]
