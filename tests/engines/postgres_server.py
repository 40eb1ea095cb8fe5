"""A Postgres server for the tests: in a folder of its own, reached by a socket there, gone with the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

PROGRAMS = ("initdb", "pg_ctl", "postgres")
DEBIAN = Path("/usr/lib/postgresql")  # where Debian has them, by version, and not on the path


def program(name: str) -> str | None:
    """Return where a program of Postgres is; None if it is not there."""
    there = sorted(DEBIAN.glob(f"*/bin/{name}"))
    return shutil.which(name) or (str(there[-1]) if there else None)


def why_none() -> str | None:
    """Return why no server can be started; None if one can."""
    absent = [name for name in PROGRAMS if program(name) is None]
    if absent:
        return f"Postgres is not installed ({', '.join(absent)})"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed"
    if os.geteuid() == 0:
        known = subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode == 0
        if not known or shutil.which("runuser") is None:
            return "Postgres does not run as root, and there is no user postgres"
    return None


def _run(*command: str) -> None:
    """Run a program of the server's; not as root, which it refuses."""
    allowed = ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else list(command)
    subprocess.run(allowed, check=True, capture_output=True, timeout=120, cwd="/")


@contextmanager
def running() -> Iterator[str]:
    """Start a server; yield the folder of its socket."""
    folder = Path(mkdtemp(prefix="bnml-pg-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        data = str(folder / "data")
        programs = {name: program(name) or name for name in PROGRAMS}
        _run(programs["initdb"], "-D", data, "-U", "owner", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync")
        control = programs["pg_ctl"]
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        _run(control, "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
        try:
            yield str(folder)
        finally:
            _run(control, "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
