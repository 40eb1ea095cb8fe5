"""The ``bnml`` command: its subcommands, and what happens to errors."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape

import bnml
from bnml.cli import compare, convert, fit, info, regret, sample, score
from bnml.errors import BnmlError

__all__ = ["app", "main"]

app = typer.Typer(
    name="bnml",
    help="Structure learning of Bayesian networks from discrete data, with scores that need no tuning.",
    epilog=escape("Example: bnml score '[smoke][lung|smoke]' survey.csv"),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

for module in (info, score, fit, sample, regret, compare, convert):
    name = module.__name__.rpartition(".")[2]
    app.command(name, epilog=escape(module.EXAMPLE))(module.command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bnml {bnml.__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or 2 for anything the user can mend."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _show_warning  # type: ignore[assignment]  # it needs the message only
        try:
            return _status(
                app(
                    args=list(sys.argv[1:] if arguments is None else arguments), prog_name="bnml", standalone_mode=False
                )
            )
        except BnmlError as error:
            return _complain(_as_options(str(error)))
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return 130
        except BrokenPipeError:  # the reader of our output has gone, as in `bnml sample … | head`
            sys.stderr.close()
            return 0
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("click", "typer"):
                raise
            return _usage(error)


def _status(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _usage(error: Exception) -> int:
    """Report a wrong use of the command line."""
    message = getattr(error, "format_message", lambda: str(error))()
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        typer.echo(message)
        return 0
    if type(error).__name__ in ("Abort", "Exit"):
        return int(getattr(error, "exit_code", 2))
    hint = f" (see {context.command_path} --help)" if context is not None else ""
    return _complain(message.rstrip(".") + hint)


OPTIONS = [  # how the library names an argument, and how the command line does
    (r"missing='(\w+)'", r"--missing \1"),
    (r"bins='([\w:]+)'", r"--bins \1"),
    (r"bins=\{.*?\}", "[bins] in a --config file"),
    (r"\bstates=", "--states"),
    (r"\bcolumns=", "--columns or --drop"),
]


def _as_options(message: str) -> str:
    """Return a message of the library with its advice in terms of the command line."""
    for pattern, option in OPTIONS:
        message = re.sub(pattern, option, message)
    return message


def _complain(message: str) -> int:
    print(f"bnml: {message}", file=sys.stderr)
    return 2


def _show_warning(message: Warning | str, *details: object) -> None:
    print(f"note: {message}", file=sys.stderr)
