"""Pictures of experiments take long to draw; `test_reproduction` asks for the real ones."""

from __future__ import annotations

from io import BytesIO

import pytest

from bnml.experiments import reproduction


@pytest.fixture
def coarse_pictures(monkeypatch):
    """Draw every picture once, at a low resolution, with panels where they come to stand."""

    def drawn(figure, suffix):
        stream = BytesIO()
        if suffix == ".png":
            figure.set_layout_engine("none")
            figure.savefig(stream, format="png", dpi=20, metadata={"Software": None})
        return stream.getvalue()

    monkeypatch.setattr(reproduction, "_drawn", drawn)
