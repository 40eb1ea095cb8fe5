"""Write the pages of the reference: one for each room, with every public name, and one for the command line.

What a room makes public is its ``__all__``; of a single module, its classes. A name that users find in `bnml` itself is
described under that name, once.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import typer
from typer.cli import get_docs_for_click
from typer.core import MARKUP_MODE_KEY

import bnml
from bnml.cli.app import app, load_command

ROOMS = {
    "data": "Data",
    "scores": "Scores",
    "scores.priors": "Structure priors",
    "search": "Searches",
    "discretisation": "Cutting numbers with a network",
    "independence": "Independence",
    "uncertainty": "Uncertainty",
    "network": "Networks",
    "plot": "Pictures",
    "graph": "Graphs",
    "nml": "Normalised maximum likelihood",
    "counts": "Counts",
    "counts.information": "Information",
    "relational": "Relational networks",
    "five_steps": "Studies",
    "sklearn": "Estimators for scikit-learn",
    "studio": "Studio",
    "experiments": "Experiments",
    "errors": "Errors",
}

NO_MODULE = ".. py:currentmodule:: None\n"  # names below are written in full


def public_name(module: ModuleType, name: str) -> str:
    """Return the shortest name under which users find what a module calls so."""
    shared = name in bnml.__all__ and getattr(bnml, name) is getattr(module, name)
    return f"bnml.{name}" if shared else f"{module.__name__}.{name}"


def names_of(module: ModuleType) -> dict[str, object]:
    """Return what a module makes public, functions first, then classes, then the rest."""
    named = getattr(module, "__all__", None)
    if named is None:
        classes = (value for value in vars(module).values() if inspect.isclass(value))
        named = [own.__name__ for own in classes if own.__module__ == module.__name__ and own.__name__[0] != "_"]
    found = {public_name(module, name): getattr(module, name) for name in named}
    within = [name for name, home in bnml._HOME.items() if home.startswith(f"{module.__name__}.") and home[-1] != ":"]
    found |= {f"bnml.{name}": getattr(bnml, name) for name in within}
    return dict(
        sorted(found.items(), key=lambda item: (kind_of(item[1]) != "function", kind_of(item[1]), item[0].lower()))
    )


def kind_of(value: object) -> str:
    """Return which directive of autodoc describes a value."""
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if callable(value) else "value"


def heading(title: str, mark: str = "=") -> str:
    """Return a title with the line below it."""
    return f"{title}\n{mark * len(title)}\n"


def summary(names: list[str]) -> str:
    """Return a table of names with the first lines of their docstrings."""
    return ".. autosummary::\n   :nosignatures:\n\n" + "".join(f"   {name}\n" for name in names)


def page_of_room(room: str, title: str) -> str:
    """Return the page of a room: its docstring, its names at a glance, and each of them in full."""
    module = importlib.import_module(f"bnml.{room}")
    names = names_of(module)
    parts = [
        heading(f"{title}: ``bnml.{room}``"),
        f".. automodule:: bnml.{room}\n   :no-members:\n",
        NO_MODULE,
        summary([name for name, value in names.items() if callable(value)]),
    ]
    for name, value in names.items():
        if isinstance(value, dict):
            parts.append(f".. py:data:: {name}\n\n   A dictionary, with {', '.join(map(repr, value))}.\n")
        elif isinstance(value, str):
            parts.append(f".. py:data:: {name}\n   :value: {value!r}\n")
        else:
            members = "   :members:\n" if kind_of(value) == "class" else ""
            parts.append(f".. auto{kind_of(value)}:: {name}\n{members}")
    return "\n".join(parts)


def page_of_names() -> str:
    """Return the page with all names of `bnml` itself."""
    values = {f"bnml.{name}": getattr(bnml, name) for name in sorted(bnml.__all__, key=str.lower) if name[0] != "_"}
    modules = [name for name, value in values.items() if inspect.ismodule(value)]
    parts = [
        heading("Every name of ``bnml``"),
        ".. automodule:: bnml\n   :no-members:\n",
        NO_MODULE,
        heading("Functions and classes", "-"),
        summary([name for name in values if name not in modules]),
        heading("Modules", "-"),
        "".join(f"* :py:mod:`{values[name].__name__}`\n" for name in modules),
    ]
    return "\n".join(parts)


def page_of_commands() -> str:
    """Return the page of the command line, which Typer writes, with whole sentences, and with examples as such."""
    group = typer.main.get_command(app)
    group.get_command = lambda context, name: load_command(name)  # with its options, which the overview has no use for
    context = typer.Context(group, obj={MARKUP_MODE_KEY: "rich"})
    text = get_docs_for_click(obj=group, ctx=context, name="bnml", title="The command line").strip() + "\n"
    sentences = dict(re.findall(r"^## `bnml ([\w-]+)`\n\n(.*)$", text, flags=re.MULTILINE))
    text = re.sub(
        rf"^\* `({'|'.join(sentences)})`: .*$",
        lambda found: f"* [`{found[1]}`](#bnml-{found[1]}): {sentences[found[1]]}",
        text,
        flags=re.MULTILINE,
    )
    return re.sub(r"^Example: (.*)$", r"```console\n$ \1\n```", text, flags=re.MULTILINE)


def write_pages(folder: Path) -> None:
    """Write all pages, and no page that is as it was, so that Sphinx reads only what changed."""
    pages = {f"{room}.rst": page_of_room(room, title) for room, title in ROOMS.items()}
    pages |= {"names.rst": page_of_names(), "commands.md": page_of_commands()}
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
