"""The index of the shipped patterns and their pictures: python -m mmwemu.cli.patterns_reference DOCS."""

from __future__ import annotations

import sys
from pathlib import Path

from mmwemu.pattern import library, measures, sketch
from mmwemu.pattern.model import Pattern

_PICTURES = "images/patterns"
_ORIGIN = ("seed", "engine", "ns3_version")


def files() -> dict[str, str]:
    """Return the page and its pictures, by their path below docs/."""
    patterns = {name: library.load(name) for name in library.shipped()}
    pictures = {f"{_PICTURES}/{name}.svg": sketch.in_svg(pattern) for name, pattern in patterns.items()}
    return {"reference/patterns.md": _page(patterns)} | pictures


def _page(patterns: dict[str, Pattern]) -> str:
    parts = [
        "# Shipped patterns\n\nMade by `python -m mmwemu.cli.patterns_reference docs` of the heads and steps of the "
        "files in patterns/; a test keeps it true.\n",
        "Each is made of a simulated drive of 40 s by a [conversion](../explanation/patterns.md): `segments`, that of "
        "Hurtig 2019, has a step for each interval with or without line of sight; `window` has a step for each 10 ms. "
        "[How to make them again](../how-to/regenerate-patterns.md). Rates are those of the downlink in Mbit/s of IP "
        "packets; the uplink has the same. A picture reaches from 0 to the highest rate in it; red is an outage.\n",
    ]
    scenarios: dict[str, list[str]] = {}
    for name, pattern in patterns.items():
        scenarios.setdefault(str(pattern.meta["scenario"]), []).append(name)
    for scenario, names in scenarios.items():
        parts.append(f"## {scenario}\n")
        head = ("pattern", "rate over 40 s", *measures.KEY_FIGURES, "in an outage", "seed, engine, ns-3")
        rows = [head, tuple("---" for _ in head), *(_row(name, patterns[name]) for name in names)]
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n")
    return "\n".join(parts)


def _row(name: str, pattern: Pattern) -> tuple[str, ...]:
    packets = {"hold": "packets wait", "drop": "packets are lost"}[pattern.outage]
    origin = ", ".join(str(pattern.meta[key]) for key in _ORIGIN)
    return (f"`{name}`", f"![{name}](../{_PICTURES}/{name}.svg)", *measures.key_figures(pattern), packets, origin)


def write(docs: Path) -> None:
    """Write the page and the pictures."""
    for relative, text in files().items():
        path = docs / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
