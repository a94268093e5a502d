"""Sites made from responses that a proxy recorded."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mmwemu.apps.web.sites import model, references, saved
from mmwemu.apps.web.sites.model import HEADERS, Site, SiteObject
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_folder, within
from mmwemu.core.names import check_name
from mmwemu.core.text import cut, parse_json, read_text

_GOOD = (200, 203, 204)
_ELSEWHERE = (301, 302, 303, 307, 308)
_ENDINGS = {"html": ".html", "css": ".css", "js": ".js", "image": "", "other": ""}
_PRINTABLE = "".join(map(chr, range(33, 127)))


@dataclass(frozen=True)
class Answer:
    """One recorded response and its request; ``port`` 0 is the default of the scheme."""

    host: str
    port: int
    tls: bool
    url: str
    status: int
    headers: Mapping[str, str]
    body: str

    @property
    def is_page(self) -> bool:
        """Whether the response is a page."""
        return self.status in _GOOD and saved.kind_of(self.headers.get("content-type", "")) == "html"


@dataclass(frozen=True)
class Recording:
    """A recorded site, and the number of omitted responses: errors, duplicates and responses not to GET."""

    site: Site
    left_out: int


def make_site(folder: Path, name: str, page: str, answers: Path) -> Recording:
    """Make a site in ``folder`` from the responses in the folder ``answers``.

    Parameters
    ----------
    folder
        A new folder.
    name
        Name of the site; if empty, that of the page's host.
    page
        Address of the page; if empty, the first page in the recording.
    answers
        Folder that `mmwemu.apps.web.sites.mitmproxy_script` wrote.

    Raises
    ------
    InputError
        If the folder exists, the page is not in the recording, or the name cannot be that of a site.
    MmwemuError
        If the disk is full.
    """
    if name:
        check_name(name, "name")
    every = read(answers)
    kept = _by_address(every)
    first = _find_page(kept, page)
    kept.remove(first)
    kept.insert(0, first)
    objects = [_object(answer, answers / answer.body, i) for i, answer in enumerate(kept)]
    hosts = tuple(dict.fromkeys(answer.host for answer in kept))
    ports = {f"{answer.host}:{answer.port}": answer.tls for answer in kept if answer.port}
    site = Site(name or saved.site_name(first.host), 0, hosts, tuple(objects), "recorded", ports)
    with whole_folder(folder) as draft:
        for answer, item in zip(kept, objects, strict=True):
            shutil.copyfile(within(answers, answer.body), draft / item.path)
        model.save(site, draft)
    return Recording(site, len(every) - len(kept))


def read(folder: Path) -> list[Answer]:
    """Return the recorded responses; those to other requests than GET have status 0."""
    file = folder / "answers"
    lines = read_text(file).splitlines() if file.exists() else []
    return [_answer(parse_json(line, str(file))) for line in lines]


def _answer(values: Mapping[str, Any]) -> Answer:
    headers: dict[str, str] = {}
    for name, value in values["headers"]:
        if name in HEADERS and re.fullmatch(r"[ -~]*", value):
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    status = values["status"] if values["method"] == "GET" else 0
    if status not in _ELSEWHERE:
        headers.pop("location", None)
    port = 0 if values["port"] == (443 if values["tls"] else 80) else values["port"]
    url = quote(values["path"].encode("utf-8", "surrogateescape"), safe=_PRINTABLE)
    return Answer(values["host"].lower(), port, values["tls"], url, status, headers, values["body"])


def _is_usable(answer: Answer) -> bool:
    known = answer.status in _GOOD or (answer.status in _ELSEWHERE and "location" in answer.headers)
    return known and model.is_host(answer.host) and model.is_url(answer.url)


def _by_address(answers: Sequence[Answer]) -> list[Answer]:
    """Return one response per address, in order of arrival.

    An address has no scheme here, so a redirect from http to https is replaced by the response that it leads to.
    """
    found: dict[tuple[str, str], Answer] = {}
    for answer in filter(_is_usable, answers):
        known = found.get((answer.host, answer.url))
        if known is None or (known.status in _ELSEWHERE and answer.status in _GOOD):
            found[answer.host, answer.url] = answer
    return list(found.values())


def _find_page(answers: Sequence[Answer], page: str) -> Answer:
    if not page:
        found = next((answer for answer in answers if answer.is_page), None)
    else:
        parts = references.split(page)
        if parts is None:
            raise InputError(cut(page), "is not the address of a page")
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        url = quote(path, safe=_PRINTABLE)
        found = next((a for a in answers if a.host == (parts.hostname or "").lower() and a.url == url), None)
    if found is None:
        what = f"is not among the {len(answers)}" if page else f"has no page among its {len(answers)}"
        raise InputError(cut(page) if page else "recording", f"{what} responses that can be served again")
    return found


def _object(answer: Answer, body: Path, number: int) -> SiteObject:
    kind = "html" if number == 0 else saved.kind_of(answer.headers.get("content-type", ""))
    path = f"{number:04}{_ENDINGS[kind]}"
    return SiteObject(path, kind, answer.host, body.stat().st_size, answer.url, answer.headers)
