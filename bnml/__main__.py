"""``python -m bnml``."""

from __future__ import annotations

import sys

try:
    from bnml.cli import main
except KeyboardInterrupt:  # before the command line itself can catch it
    print("interrupted", file=sys.stderr)
    raise SystemExit(130) from None

raise SystemExit(main())
