"""The ``bnml`` command: its subcommands, and what happens to errors."""

from __future__ import annotations

import ast
import importlib
import io
import os
import pkgutil
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

import bnml
from bnml._jit import compilation_told
from bnml.cli.error_words import in_options
from bnml.errors import BnmlError, DataWarning, Named

COMPILING = (
    "note: compiling kernels; each is compiled once on this machine, when it is first needed "
    "(`bnml warmup` compiles all of them, in about a minute)"
)

COMMANDS = (
    "learn",
    "posterior",
    "bootstrap",
    "dependences",
    "strength",
    "study",
    "studio",
    "relational",
    "info",
    "score",
    "fit",
    "query",
    "predict",
    "impute",
    "plot",
    "sample",
    "regret",
    "compare",
    "convert",
    "reproduce",
    "warmup",
)
"""The commands in the order of the overview; each is the function ``command`` of the module of that name."""


def load_command(name: str) -> Any:
    """Import a command, and return it as the framework runs it."""
    module = importlib.import_module(f"bnml.cli.{name}")
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    settings = getattr(module, "SETTINGS", None)
    alone.command(name, epilog=escape(module.EXAMPLE), context_settings=settings)(module.command)
    return typer.main.get_command(alone)


def _help_of(name: str) -> str:
    """Return the docstring of a command from its source: to import all commands takes many times as long."""
    source = pkgutil.get_data("bnml.cli", f"{name}.py")
    functions = [node for node in ast.parse(source or b"").body if isinstance(node, ast.FunctionDef)]
    return next(ast.get_docstring(function) or "" for function in functions if function.name == "command")


class _Commands(TyperGroup):
    """All commands: one that is run is imported then, and the overview and completion show docstrings alone."""

    def get_command(self, context: Any, name: str) -> Any:
        """Return what can be shown of a command."""
        command = super().get_command(context, name)
        if command is not None:
            command.help = _help_of(name)
        return command

    def resolve_command(self, context: Any, arguments: list[str]) -> Any:
        """Return the command that the first argument names, to be run with the others."""
        name, *others = arguments
        return (name, load_command(name), others) if name in COMMANDS else super().resolve_command(context, arguments)


app = typer.Typer(
    name="bnml",
    cls=_Commands,
    help="Structure learning of Bayesian networks from discrete data, with scores that need no tuning.",
    epilog=escape("Example: bnml learn survey.csv -o survey.bif --plot survey.png"),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name in COMMANDS:
    app.command(name)(lambda: None)


class _TerminatedError(BaseException):
    """The process was asked to end."""


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


def run_command_line(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; leave interrupts to the caller."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may have letters that the terminal lacks
    given = list(sys.argv[1:] if arguments is None else arguments)

    def spell(named: Named) -> str:
        command = sys.modules.get(f"bnml.cli.{given[0]}") if given and given[0] in COMMANDS else None
        return in_options(getattr(command, "OPTIONS", {}))(named)

    def show_warning(message: Warning | str, *details: object) -> None:
        print(f"note: {message.text(spell) if isinstance(message, DataWarning) else message}", file=sys.stderr)

    with (
        _termination_raised(),
        warnings.catch_warnings(),
        compilation_told(_tell_of_compilation),
    ):
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show_warning  # type: ignore[assignment]  # it needs the message only
        try:
            _run(given)
            if sys.stdout is not None:
                sys.stdout.flush()
            return 0
        except BnmlError as error:
            return _complain(error.text(spell))
        except MemoryError as error:
            return _complain(f"memory ran out{f' ({error})' if str(error) else ''}; take fewer columns or rows")
        except _TerminatedError:
            return 128 + signal.SIGTERM
        except BrokenPipeError:  # the reader of our output has gone, as in `bnml sample … | head`
            _give_up_output()
            return 0
        except SystemExit as stop:
            if not isinstance(stop.__context__, BrokenPipeError):
                raise
            return 0  # rich has met a broken pipe, and answered it with an exit
        except OSError as error:
            _give_up_output()
            what = "the output cannot be written" if error.filename is None else repr(error.filename)
            return _complain(f"{what}: {error.strerror or error}")
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in ("click", "typer"):
                raise
            return _usage(error)


def _tell_of_compilation() -> None:
    """Say that kernels are compiled, the first time on this machine that it takes long."""
    from bnml._kernel_cache import cache_folder

    marker = cache_folder() / f"bnml-{bnml.__version__}-compiles"
    if marker.exists():
        return
    print(COMPILING, file=sys.stderr, flush=True)
    with suppress(OSError):
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.touch()


@contextmanager
def _termination_raised() -> Iterator[None]:
    """Let a request to end be an exception, so that what was begun is put away."""

    def stop(number: int, frame: object) -> None:
        raise _TerminatedError

    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run(arguments: list[str]) -> None:
    """Run a command; unlike ``app()``, leave interrupts and broken pipes to the caller."""
    if "_BNML_COMPLETE" in os.environ:  # a shell asks for completions
        app(args=arguments, prog_name="bnml")
    command = typer.main.get_command(app)
    with command.make_context("bnml", arguments) as context:
        command.invoke(context)


def _give_up_output() -> None:
    """Let what is still to be written to standard output go nowhere, so that Python does not try again at its end."""
    with suppress(OSError, ValueError, AttributeError):  # not all that stands in for it has a number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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


def _complain(message: str) -> int:
    print(f"bnml: {message}", file=sys.stderr)
    return 2
