"""The command line: thin over the library; every command is one file."""

from __future__ import annotations

from bnml.cli.main import main

__all__ = ["main"]
