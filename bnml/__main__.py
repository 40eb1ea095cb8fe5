"""``python -m bnml``."""

from __future__ import annotations

from bnml.cli import main

raise SystemExit(main())
