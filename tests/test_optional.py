"""Packages that few users need: what is said where one is not there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from bnml._optional import REQUIREMENTS, missing, needs
from bnml.errors import BnmlError, DependencyError

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


@pytest.mark.parametrize("name", ["sklearn", "sklearn.utils.validation"])
def test_what_is_not_there_is_named(name):
    with pytest.raises(DependencyError) as caught, needs("bnml.sklearn", "sklearn"):
        raise ImportError(f"No module named {name!r}", name=name)
    assert isinstance(caught.value, BnmlError)
    assert str(caught.value) == (
        f"bnml.sklearn needs scikit-learn>=1.6 (No module named {name!r}); "
        "install it with: pip install 'scikit-learn>=1.6'"
    )


@pytest.mark.parametrize("error", [ImportError("no", name="numpy"), ImportError("no"), ValueError("no")])
def test_other_errors_pass(error):
    with pytest.raises(type(error)) as caught, needs("bnml.sklearn", "sklearn"):
        raise error
    assert caught.value is error


def test_what_is_there_is_no_error():
    with needs("this", "json"):
        import json
    assert json.loads("1") == 1


def test_packages_that_bnml_does_not_know():
    assert str(missing("the engine", ImportError("no", name="trino.client"))).endswith("pip install 'trino'")
    assert str(missing("the engine", ImportError("install this"))) == "the engine needs another package (install this)"


def test_what_is_asked_for_is_what_the_project_declares():
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    declared = {requirement for requirements in extras.values() for requirement in requirements}
    assert set(REQUIREMENTS.values()) <= declared
    users = {name for name in extras if name not in ("docs", "test", "benchmark", "all")}
    (every,) = extras["all"]
    assert set(every.removeprefix("bnml[").removesuffix("]").split(",")) == users
