"""The TOML file of ``--config``: options that are tedious to type, or that a command line cannot say."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bnml._files import reading_file
from bnml._text import did_you_mean, quoted, shortened
from bnml.errors import ArgumentError

KEYS = {
    "columns": "a list of texts",
    "drop": "a list of texts",
    "missing": "a text",
    "na_values": "a list of texts",
    "states": "a text or a table",
    "bins": "a text or a table",
    "weights": "a text",
    "interventions": "a text",
    "counting": "a text",
    "required": "a list of lists of texts",
    "forbidden": "a list of lists of texts",
    "required_links": "a list of lists of texts",
    "forbidden_links": "a list of lists of texts",
    "tiers": "a list of lists of texts",
}


def read_settings(path: Path | None) -> Mapping[str, Any]:
    """Read the settings of the ``--config`` file, which is TOML, and check them; none without a file."""
    if path is None:
        return {}
    hint = "Mend it, or write another one with bnml info DATA --write-config"
    with reading_file(path, "a TOML file for --config", hint, error=ArgumentError):
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    for key, value in settings.items():
        if key not in KEYS:
            raise ArgumentError(
                f"--config: {str(path)!r} has an unknown key {key!r}; the keys are {quoted(KEYS, most=20)}."
                f"{did_you_mean(key, KEYS)}"
            )
        expected = KEYS[key]
        if expected == "a list of texts" and isinstance(value, str):
            settings[key] = value = [value]
        if not any(kind in expected for kind in _kinds(value)):
            raise ArgumentError(
                f"--config: {str(path)!r} has {key} = {shortened(repr(value), 60)}; it must be {expected}"
            )
    return settings


def _kinds(value: Any) -> list[str]:
    """Return what a value of a TOML file is, in the words of the keys."""
    if isinstance(value, list):
        texts = all(isinstance(item, str) for item in value)
        lists = all("a list of texts" in _kinds(item) for item in value)
        return ["a list of texts"] * texts + ["a list of lists of texts"] * lists
    return ["a text"] if isinstance(value, str) else ["a table"] if isinstance(value, dict) else []
