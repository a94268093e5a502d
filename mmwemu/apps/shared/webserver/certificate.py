"""Self-signed TLS certificates for the names of one server, valid for 30 days."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mmwemu.core import process
from mmwemu.core.errors import MmwemuError

_DAYS = 30


@dataclass(frozen=True)
class Certificates:
    """A key, a certificate for each host name, and the base64 SHA-256 of the public key, by which browsers trust them.

    Each name has its own certificate, because a browser shares one connection to an address between a certificate's
    names.
    """

    key: Path
    by_name: dict[str, Path]
    public_key_sha256: str


def find_openssl() -> str:
    """Return the path of openssl.

    Raises
    ------
    MissingError
        If it is not installed.
    """
    return process.find_tool("openssl", "install it: sudo apt-get install openssl")


def make_certificates(folder: Path, names: Sequence[str]) -> Certificates:
    """Make a key on P-256 and self-signed certificates for host ``names``, and return them.

    Raises
    ------
    MissingError
        If openssl is not installed.
    MmwemuError
        If openssl fails, with its last message.
    """
    openssl = find_openssl()
    key = folder / "key.pem"
    _run([openssl, "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", str(key)])
    made = {}
    for name in names:
        made[name] = folder / f"{name}.pem"
        _run([
            openssl, "req", "-x509", "-key", str(key), "-sha256", "-days", str(_DAYS), "-subj", "/CN=mmwemu",
            "-addext", f"subjectAltName=DNS:{name}", "-out", str(made[name]),
        ])  # fmt: skip
    public_key = _run([openssl, "pkey", "-in", str(key), "-pubout", "-outform", "DER"])
    return Certificates(key, made, base64.b64encode(hashlib.sha256(public_key).digest()).decode())


def _run(argv: list[str]) -> bytes:
    done = process.run(argv, timeout_s=30)
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        raise MmwemuError(f"openssl made no certificate: {words[-1] if words else f'exit code {done.returncode}'}")
    return done.stdout
