"""The server: it listens on the loopback address, says where, and ends with everything that it has begun."""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from bnml._optional import REQUIREMENTS
from bnml.errors import ArgumentError, DependencyError

LOOPBACK = "127.0.0.1"
PACKAGES = ("starlette", "uvicorn")


def serve(
    data: Path | None = None,
    *,
    port: int = 0,
    folder: Path | None = None,
    browser: bool = True,
    told: Callable[[str], object] = print,
) -> None:
    """Serve the studio until the process is told to end.

    Parameters
    ----------
    data
        A table; None for the session that is in the folder, or an empty one.
    port
        Where to listen; 0 for any port that is free.
    folder
        Where the session is kept; by default a folder of the user's, one for each table.
    browser
        Whether to open the page.
    told
        Is given the address once requests are answered there.

    Raises
    ------
    BnmlError
        If a package is missing, the table is not there, the port is taken, or another studio has the folder open.
    """
    _check_packages()
    import uvicorn

    from bnml.studio.app import studio_app
    from bnml.studio.desk import Desk
    from bnml.studio.door import Door
    from bnml.studio.session_folder import SessionFolder, folder_for

    with SessionFolder(folder_for(data) if folder is None else folder) as kept, _listening(port) as listener:
        desk = Desk(kept, data)
        token, at = secrets.token_urlsafe(24), listener.getsockname()[1]
        config = uvicorn.Config(
            Door(studio_app(desk), token, at), log_config=None, access_log=False, lifespan="off", server_header=False,
            ws="none", timeout_graceful_shutdown=1, timeout_keep_alive=30, proxy_headers=False,
        )  # fmt: skip
        address = f"http://{LOOPBACK}:{at}/{token}/"

        class Server(uvicorn.Server):
            """Tells the address once it answers, and lets go of those that wait for events when it ends."""

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                await desk.begin()
                told(address)
                if browser:
                    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

            async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                await desk.end()
                await super().shutdown(sockets)

        Server(config).run(sockets=[listener])


def _check_packages() -> None:
    """Say what to install, all at once, where a package of the extra is missing."""
    absent = [name for name in PACKAGES if find_spec(name) is None]
    if absent:
        wanted = " ".join(repr(REQUIREMENTS[name]) for name in absent)
        raise DependencyError(f"the studio needs {' and '.join(absent)}; install with: pip install {wanted}")


def _listening(port: int) -> socket.socket:
    """Return a socket that listens on the loopback address."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise ArgumentError(
            f"cannot listen there ({getattr(error, 'strerror', None) or error})",
            argument="port",
            value=port,
            hint="take another one, or 0 for any that is free",
        ) from None
    listener.listen(128)
    return listener
