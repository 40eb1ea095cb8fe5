"""How Sphinx builds the site: ``python -m sphinx -W --keep-going -b html docs build/docs``."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]  # bnml, and the module that writes the pages of the reference

from reference_pages import write_pages  # noqa: E402

import bnml  # noqa: E402

project = "bnml"
author = "The authors of bnml"
copyright = author  # noqa: A001
version = release = bnml.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]

# pages: Markdown, with anchors as GitHub makes them; cells and notebooks are executed at every build, and must not fail
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist", "attrs_inline"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_show_tb = True  # of a cell that fails, which is a warning, and so an error
nb_execution_timeout = 600  # seconds for a cell, on a busy machine
nb_merge_streams = True

# reference
default_role = "code"
autosummary_generate = False
autodoc_typehints = "signature"
autodoc_member_order = "groupwise"
napoleon_google_docstring = False
napoleon_use_param = napoleon_use_rtype = False  # types in docstrings are words, not links
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("Ints", "Floats", "Bools", "ArrayLike", "Link", "Number", "DataLike")}
nitpicky = True
nitpick_ignore_regex = [
    ("py:class", r"(?!bnml\.).*"),  # types in signatures: those of other packages,
    ("py:class", r"bnml\.\w+\.\w+\..*"),  # and those that users need no name for
]
add_module_names = True
python_maximum_signature_line_length = 100

# looks
html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = "bnml"
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

# files beside docs/ that are pages of the site, too
ROOT_PAGES = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "benchmarks/RESULTS.md": "project/benchmarks.md",
}


def to_pages_of_the_site(app: Sphinx, docname: str, source: list[str]) -> None:
    """Let links to files beside docs/ lead to the pages that show them; drop the empty last lines of doctests."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")
    for file, page in ROOT_PAGES.items():
        source[0] = re.sub(rf"\]\((\.\./)+{re.escape(file)}", f"](/{page}", source[0])


def copy_notebooks(app: Sphinx, config: object) -> None:
    """Copy the notebooks of examples/ to the tutorials, where git ignores them."""
    for notebook in (HERE / "tutorials").glob("*.ipynb"):
        notebook.unlink()
    for notebook in sorted((HERE.parent / "examples").glob("*.ipynb")):
        shutil.copy(notebook, HERE / "tutorials")


def write_reference(app: Sphinx, config: object) -> None:
    """Write the pages of the reference."""
    write_pages(HERE / "reference")


def skip_what_sklearn_adds(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Leave out the methods about metadata that scikit-learn gives to every estimator."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def setup(app: Sphinx) -> None:
    """Do all this at every build."""
    app.connect("config-inited", write_reference)
    app.connect("config-inited", copy_notebooks)
    app.connect("source-read", to_pages_of_the_site)
    app.connect("autodoc-skip-member", skip_what_sklearn_adds)
