"""The ``bnml`` command: its subcommands, and what happens to errors."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Annotated

import typer
from rich.markup import escape

import bnml
from bnml._jit import compilation_told
from bnml.cli import (
    bootstrap,
    compare,
    convert,
    dependences,
    fit,
    impute,
    info,
    learn,
    plot,
    posterior,
    predict,
    query,
    regret,
    relational,
    reproduce,
    sample,
    score,
    strength,
    studio,
    study,
)
from bnml.cli.error_words import in_options
from bnml.errors import BnmlError, DataWarning

__all__ = ["COMPILING", "app", "main"]

COMPILING = "note: compiling kernels, once on this machine (about 10 s)"

app = typer.Typer(
    name="bnml",
    help="Structure learning of Bayesian networks from discrete data, with scores that need no tuning.",
    epilog=escape("Example: bnml learn survey.csv -o survey.bif --plot survey.png"),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        learn,
        posterior,
        bootstrap,
        dependences,
        strength,
        study,
        studio,
        relational,
        info,
        score,
        fit,
        query,
        predict,
        impute,
        plot,
        sample,
        regret,
        compare,
        convert,
        reproduce,
    )
}
for name, module in COMMANDS.items():
    app.command(name, epilog=escape(module.EXAMPLE), context_settings=getattr(module, "SETTINGS", None))(module.command)


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or 2 for anything the user can mend."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may have letters that the terminal lacks
    given = list(sys.argv[1:] if arguments is None else arguments)
    words = in_options(getattr(COMMANDS.get(given[0] if given else ""), "OPTIONS", {}))

    def show_warning(message: Warning | str, *details: object) -> None:
        print(f"note: {message.text(words) if isinstance(message, DataWarning) else message}", file=sys.stderr)

    with (
        _termination_raised(),
        warnings.catch_warnings(),
        compilation_told(lambda: print(COMPILING, file=sys.stderr, flush=True)),
    ):
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show_warning  # type: ignore[assignment]  # it needs the message only
        try:
            _run(given)
            if sys.stdout is not None:
                sys.stdout.flush()
            return 0
        except BnmlError as error:
            return _complain(error.text(words))
        except MemoryError as error:
            return _complain(f"memory ran out{f' ({error})' if str(error) else ''}; take fewer columns or rows")
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            return 130
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
