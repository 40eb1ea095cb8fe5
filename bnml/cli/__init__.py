"""The command line: thin over the library; every command is one file.

Its entry point is here, apart from all that it imports, so that Ctrl-C ends it in the same way at any moment. So what
this module imports at its top is built into Python.
"""

from __future__ import annotations

import sys
import time
from _thread import interrupt_main, start_new_thread

TYPE_CHECKING = False  # not from `typing`, which is not built in

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["INTERRUPTED", "main"]

INTERRUPTED = 130  # what shells know as the status of Ctrl-C


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, 2 for anything the user can mend, or 130 if interrupted."""
    hook, sys.unraisablehook = sys.unraisablehook, _interrupt_again
    try:
        from bnml.cli.app import run_command_line

        return run_command_line(arguments)
    except (KeyboardInterrupt, Exception) as error:
        if not _is_interrupt(error):
            raise
        exec("")  # where the interrupt came from an earlier `exec`, Python would end itself by the signal
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    finally:
        sys.unraisablehook = hook
        if arguments is None:
            _ignore_interrupts()


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether an error is an interrupt, or came of one, as where Python was making a class."""
    return error is not None and (isinstance(error, KeyboardInterrupt) or _is_interrupt(error.__context__))


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C from here on: the process ends, and there is nothing left to interrupt."""
    import signal
    import threading

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt a moment later if it came where nothing can be raised, as in callbacks of imports."""
    if unraisable.exc_type is KeyboardInterrupt:
        start_new_thread(_interrupt_in_a_moment, ())
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt_in_a_moment() -> None:
    time.sleep(0.01)
    interrupt_main()
