"""A TLS certificate of our own making, good for the names of one server and for a few days."""

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
class Certificate:
    """Files of a certificate and its key, and the SHA-256 of its public key in base64, by which a browser may know it."""

    certificate: Path
    key: Path
    public_key_sha256: str


def find_openssl() -> str:
    """Give the path of openssl.

    Raises
    ------
    MissingError
        If it is not installed.
    """
    return process.find_tool("openssl", "install it: sudo apt-get install openssl")


def make_certificate(folder: Path, names: Sequence[str]) -> Certificate:
    """Make a key on P-256 and a certificate signed by itself for host ``names``.

    Raises
    ------
    MissingError
        If openssl is not installed.
    MmwemuError
        If it fails; with its last words.
    """
    openssl = find_openssl()
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subject_names = ",".join(f"DNS:{name}" for name in names)
    _run([
        openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-sha256",
        "-days", str(_DAYS), "-subj", f"/CN={names[0]}", "-addext", f"subjectAltName={subject_names}",
        "-keyout", str(key), "-out", str(certificate),
    ])  # fmt: skip
    public_key = _run([openssl, "pkey", "-in", str(key), "-pubout", "-outform", "DER"])
    return Certificate(certificate, key, base64.b64encode(hashlib.sha256(public_key).digest()).decode())


def _run(argv: list[str]) -> bytes:
    done = process.run(argv, timeout_s=30)
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace").strip().splitlines()
        raise MmwemuError(f"openssl made no certificate: {words[-1] if words else f'exit code {done.returncode}'}")
    return done.stdout
