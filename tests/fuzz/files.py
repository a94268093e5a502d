"""Files of every kind that command lines name: good ones, and good ones that were tampered with."""

import functools
import gzip
from pathlib import Path

from hypothesis import strategies as st

from tests.fuzz.good import (
    DELIVERIES,
    EIGHT_LINES,
    FORMATS,
    PAGE,
    PATTERN,
    PROFILE,
    ROUTE,
    RX_PACKETS,
    SCENARIO,
    SEVERAL_UES,
    SITE,
    STUDY,
    STYLE,
)
from tests.fuzz.running import Link
from tests.fuzz.tables import baselines, rays, results, traces
from tests.fuzz.tampering import json_files, tampered


@st.composite
def folders(draw, saved: bool) -> dict[str, object]:
    """Make the files of a site with an index, or of one saved from a browser."""
    page, style = (PAGE.encode(), STYLE.encode()) if not saved else (draw(tampered(PAGE)), draw(tampered(STYLE)))
    files: dict[str, object] = {"index.html": page, "s.css": style, "b.png": b"\x89PNG"}
    if not saved:
        files["site.json"] = draw(json_files(SITE) | json_files(SITE | {"origin": "made"}))
    for name in draw(
        st.lists(
            st.sampled_from(["e", "a.js", "b.html", "x\x1b[1m.css", "\udcff.css", "d/e.html", "q.css?v=3"]),
            max_size=2,
            unique=True,
        )
    ):
        targets = ["/etc", "/etc/passwd", "..", ".", "e", "index.html", "/", "nowhere"]
        files[name] = draw(st.sampled_from([b"x", None]) | st.sampled_from(targets).map(Link))
    for name in draw(st.lists(st.sampled_from(["index.html", "s.css"]), max_size=1)):
        if draw(st.booleans()):
            del files[name]
    return files


@st.composite
def rx_packets(draw) -> bytes:
    """Write a table of the module, tampered with; sometimes with other ends of lines, gzipped, or cut in two."""
    content = draw(tampered(RX_PACKETS))
    if draw(st.sampled_from([False] * 3 + [True])):
        content = content.replace(b"\n", b"\r\n")
    if draw(st.sampled_from([False] * 2 + [True])):
        content = gzip.compress(content)
        content = content[: draw(st.sampled_from([len(content), len(content) // 2, 12, 3]))]
    return content


@functools.cache
def of_kind(kind: str) -> st.SearchStrategy[dict[str, object]]:
    """Return a strategy of the files of a kind, by name below the one that the command is given."""
    if kind in ("pattern", "exchanged"):  # exchanged: as often in one format as in another
        goods = [PATTERN] * (3 * len(FORMATS) * (kind == "pattern")) + list(FORMATS.values())
        return st.sampled_from(goods).flatmap(tampered).map(lambda content: {"": content})
    texts_of = {
        "scenario": [SCENARIO, *SEVERAL_UES],
        "profile": [PROFILE],
        "study": [STUDY],
        "eight lines": [EIGHT_LINES],
        "route": [ROUTE],
    }
    if kind in texts_of:
        return st.sampled_from(texts_of[kind]).flatmap(tampered).map(lambda content: {"": content})
    if kind == "trace":
        return traces().map(lambda content: {"": content})
    if kind == "baseline":
        return baselines().map(lambda content: {"": content})
    if kind == "results":
        return results()
    if kind == "packets":
        return rx_packets().map(lambda content: {"": content})
    if kind == "deliveries":
        return tampered(DELIVERIES).map(lambda content: {"": content})
    if kind == "rays":
        return rays().map(lambda content: {"": content})
    if kind == "site":
        return folders(saved=False) | folders(saved=True)
    return st.binary(max_size=100).map(lambda content: {"": content})


ENDINGS = {
    "pattern": ".csv",
    "exchanged": "",
    "scenario": ".toml",
    "profile": ".toml",
    "study": ".toml",
    "trace": ".parquet",
    "baseline": ".parquet",
    "packets": ".txt",
    "deliveries": ".txt",
    "rays": ".parquet",
    "eight lines": ".txt",
    "route": ".csv",
    "film": ".mp4",
    "flows": ".flows",
    "site": "",
    "results": "",
}


def below(name: str, files: dict[str, object]) -> dict[str, object]:
    """Return files by their path below a name."""
    return {str(Path(name) / inner) if inner else name: content for inner, content in files.items()}
