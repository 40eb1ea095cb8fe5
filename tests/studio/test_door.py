"""Who gets in, and what does not."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bnml.studio.door import HEADERS, MOST_FILE, MOST_JSON, Door

PATHS = ("", "api/session", "static/index.html", "api/export/session.zip", "api/events")
CHANGES = (("POST", "api/undo"), ("PUT", "api/knowledge"), ("DELETE", "api/jobs/j1"), ("POST", "api/table"))


def asked(path="/secret/", method="GET", **headers):
    """Ask a door of its own, behind which is a room that says where one is; return status and body."""

    async def room(scope, receive, send):
        body = scope["path"].encode()
        while (message := await receive()).get("more_body"):
            body += message["body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    told = [(b"host", b"127.0.0.1:80")] if "host" not in headers else []
    told += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "path": path, "method": method, "headers": told}
    with ThreadPoolExecutor(1) as thread:  # a browser of other tests may have a loop in this one
        thread.submit(asyncio.run, Door(room, "secret", 80)(scope, receive, send)).result()
    assert {name.encode() for name in HEADERS} <= {name for name, _ in sent[0]["headers"]}
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


def test_the_door_alone():
    assert asked() == (200, b"/")
    assert asked("/secret/api/x", "PUT", origin="http://127.0.0.1:80") == (200, b"/api/x")
    assert asked("/secret/a//b/") == (200, b"/a//b/")
    for path in ("", "/", "/secret", "//secret/", "/Secret/", "/secre/", "/secrets/", "secret", "/x/secret/"):
        assert asked(path)[0] == 404
    assert asked(host="evil")[0] == 421
    assert asked(origin="http://evil")[0] == 403
    assert asked("/secret/x", sec_fetch_site="cross-site", sec_fetch_mode="navigate")[0] == 403
    assert asked(sec_fetch_site="cross-site", sec_fetch_mode="navigate")[0] == 200
    assert asked(sec_fetch_site="cross-site", sec_fetch_mode="navigate", method="POST")[0] == 403
    sizes = {("/secret/api/table", "POST"): MOST_FILE, ("/secret/api/table", "PUT"): MOST_JSON}
    for (path, method), most in sizes.items():
        assert asked(path, method, content_length=str(most))[0] == 200
        assert asked(path, method, content_length=str(most + 1))[0] == 413


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("token", ["", "x", "{token}x", "{token}/..", "%2e%2e", "{upper}", "%C3%BCn"])
def test_nothing_is_found_without_the_token(studio, token, path):
    said = token.format(token=studio.token[:-1], upper=studio.token.swapcase())
    status, body, headers = studio.request("GET", f"/{said}/{path}")
    assert status == 404
    assert json.loads(body) == {"error": "there is nothing here", "argument": None}
    assert headers["content-security-policy"] == HEADERS["content-security-policy"]


def test_the_token_is_long_and_another_one_each_time(studio, start, tmp_path):
    other = start(tmp_path / "other")
    assert len(studio.token) >= 32
    assert other.token != studio.token
    assert other.request("GET", f"/{studio.token}/api/session")[0] == 404


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}", ""]
)
@pytest.mark.parametrize("path", PATHS)
def test_other_hosts(studio, host, path):
    said = host.format(port=studio.port)
    assert studio.request("GET", f"/{studio.token}/{path}", headers={"Host": said})[0] in (400, 421)


def test_no_host_at_all(studio):
    with socket.create_connection(("127.0.0.1", studio.port), timeout=10) as connection:
        connection.sendall(f"GET /{studio.token}/api/session HTTP/1.0\r\n\r\n".encode())
        assert connection.recv(100).split()[1] in (b"400", b"421")


def test_localhost_is_this_machine(studio):
    assert studio.request("GET", f"/{studio.token}/", headers={"Host": f"localhost:{studio.port}"})[0] == 200


FOREIGN = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "https://127.0.0.1:{port}"},
    {"Origin": "http://localhost:{port}"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
@pytest.mark.parametrize(("method", "path"), [*CHANGES, ("GET", "api/session"), ("GET", "api/export/session.zip")])
def test_other_pages(studio, method, path, headers):
    before = studio.get("api/session")["revision"]
    said = {name: value.format(port=studio.port) for name, value in headers.items()}
    status, body, _ = studio.request(method, f"/{studio.token}/{path}", b"{}" if method != "GET" else None, said)
    assert (status, json.loads(body)["error"]) == (403, "requests from other pages are refused")
    assert studio.get("api/session")["revision"] == before


def test_the_page_itself(studio):
    own = {"Origin": f"http://127.0.0.1:{studio.port}", "Sec-Fetch-Site": "same-origin"}
    assert studio.request("PUT", f"/{studio.token}/api/knowledge", b"{}", own)[0] == 200
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}  # a link in a terminal that is a page
    assert studio.request("GET", f"/{studio.token}/", headers=followed)[0] == 200


@pytest.mark.parametrize("path", PATHS[:-1])
def test_headers(studio, path):
    status, body, headers = studio.request("GET", f"/{studio.token}/{path}")
    assert status == 200
    assert HEADERS.items() <= headers.items()
    assert "server" not in headers
    if path == "":
        assert b"<script>" not in body
        assert b"style=" not in body


@pytest.mark.parametrize(
    "name",
    [
        "..", "../app.py", "..%2fapp.py", "%2e%2e%2fapp.py", "....//app.py", "/etc/passwd", "%2fetc%2fpasswd",
        "..%5capp.py", "index.html%00.js", "page", ".", "", "~", "app.py",
    ],
)  # fmt: skip
def test_no_other_file_is_served(studio, name):
    status, body, _ = studio.request("GET", f"/{studio.token}/static/{name}")
    assert status == 404, body


@pytest.mark.parametrize("what", ["results/r1", "results/..%2fsession", "results/%2e%2e", "export/..%2fsession.json",
                                  "export/session.json", "export/network.py", "cpt/..%2f..%2fsession"])  # fmt: skip
def test_no_other_file_is_handed_on(studio, what):
    status, body, _ = studio.request("GET", f"/{studio.token}/api/{what}")
    assert status in (400, 404)
    assert b"session" not in body.replace(b"'../../session'", b"").replace(b"'../session'", b"")


@pytest.mark.parametrize(
    ("method", "path", "length"),
    [
        ("POST", "api/table", 2 << 30),
        ("POST", "api/import", MOST_FILE + 1),
        ("PUT", "api/knowledge", MOST_JSON + 1),
        ("PUT", "api/table", MOST_JSON + 1),
        ("POST", "api/table", 10**30),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_read(studio, method, path, length):
    """Only the head of the request is sent: an answer that waits for the body never comes."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=10)
    connection.putrequest(method, f"/{studio.token}/{path}")
    connection.putheader("Content-Length", str(length))
    connection.putheader("X-File-Name", "large.csv")
    connection.endheaders()
    try:
        answer = connection.getresponse()
        assert answer.status in (400, 413)
        assert answer.getheader("connection") == "close"
    finally:
        connection.close()
    assert list((studio.folder / "incoming").iterdir()) == []


def test_what_is_too_large_is_refused_while_it_arrives(studio):
    """Check a body that does not say how long it is, and would be a request but for its length."""
    before = studio.get("api/session")["revision"]
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=30)
    connection.putrequest("PUT", f"/{studio.token}/api/knowledge")
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    piece = b" " * (1 << 16)
    status = None
    try:
        for part in (b'{"tiers": [["asia"], ["lung"]],', *[piece] * (4 * MOST_JSON >> 16), b' "required": []}', b""):
            connection.send(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        status = connection.getresponse().status
    except (BrokenPipeError, ConnectionResetError):
        status = 413  # the connection was ended while we were sending
    finally:
        connection.close()
    assert status == 413
    assert studio.get("api/session")["revision"] == before


@pytest.mark.parametrize("length", ["-1", "abc", "1e3", "٣"])
def test_lengths_that_are_none(studio, length):
    with socket.create_connection(("127.0.0.1", studio.port), timeout=10) as connection:
        head = f"PUT /{studio.token}/api/knowledge HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\n"
        connection.sendall(f"{head}Content-Length: {length}\r\n\r\n".encode())
        assert connection.recv(100).split()[1] == b"400"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"tiers": 1}', b'{"required": [["a"]]}', b"\xff", b"[" * 9999]
)
def test_bodies_that_are_no_request(studio, body):
    status, answer = studio.call("PUT", "api/knowledge", body)
    assert status == 400
    assert answer["error"]


def test_only_loopback(studio):
    with Path("/proc/net/tcp").open() as table:
        listening = [line.split()[1].split(":") for line in table if line.split()[3] == "0A"]
    assert [address for address, port in listening if int(port, 16) == studio.port] == ["0100007F"]
    for address in own_addresses():
        with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
            socket.create_connection((address, studio.port), timeout=2).close()


def own_addresses() -> list[str]:
    """Return the other addresses of this machine."""
    found = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    return sorted(address for address in found if address != "127.0.0.1")


def test_events_begin_with_the_session_and_tell_of_changes(studio):
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=20)
    connection.request("GET", f"/{studio.token}/api/events")
    answer = connection.getresponse()
    assert answer.getheader("content-type").startswith("text/event-stream")
    assert [answer.readline() for _ in range(2)] == [b"retry: 1000\n", b"event: session\n"]
    first = json.loads(answer.readline().partition(b":")[2])["revision"]
    answer.readline()
    time.sleep(0.1)
    studio.call("PUT", "api/knowledge", {"tiers": [["smoke"], ["lung"]]})
    assert answer.readline() == b"event: session\n"
    assert json.loads(answer.readline().partition(b":")[2])["revision"] == first + 1
    connection.close()
