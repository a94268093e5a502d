"""Addon of mitmproxy that writes each response, as on the wire, into the folder MMWEMU_RECORDING.

The Python of the user's mitmproxy, which may lack mmwemu, loads it. It therefore imports the standard library only.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

_FOLDER = Path(os.environ.get("MMWEMU_RECORDING", "."))


def running() -> None:
    """Signal that the proxy listens."""
    (_FOLDER / "ready").touch()


def response(flow: Any) -> None:
    """Write a response: its metadata as a line of JSON, and its body as a file."""
    request, answer = flow.request, flow.response
    number = len(list(_FOLDER.glob("*.body")))
    (_FOLDER / f"{number}.body").write_bytes(answer.raw_content or b"")
    line = {
        "method": request.method,
        "tls": request.scheme == "https",
        "host": request.pretty_host,
        "port": request.port,
        "path": request.path,
        "status": answer.status_code,
        "headers": [[name.lower(), value] for name, value in answer.headers.items(multi=True)],
        "body": f"{number}.body",
    }
    with (_FOLDER / "answers").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
