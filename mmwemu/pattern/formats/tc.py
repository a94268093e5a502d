"""Shell scripts that replay a pattern with tc; see docs/formats/tc.md."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from mmwemu.core.bounds import HIGHEST_RATE_BPS
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_file
from mmwemu.core.text import printable, shown
from mmwemu.core.units import to_ns
from mmwemu.pattern.formats.format import Format, Option, Values
from mmwemu.pattern.formats.making import left_out
from mmwemu.pattern.model import Direction, Pattern

_DEVICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,14}")
_LEAST_BPS = 8.0
_CAN = (
    "delay_s", "jitter_s", "loss", "duplication", "reordering", "gilbert_p", "gilbert_r", "loss_bad", "end", "drop",
)  # fmt: skip

_HEAD = """#!/bin/sh
# {name}: {steps} steps in {duration} s, one direction, by netem's rate and delay. Written by mmwemu.
# Run it as root on the machine and device that send this direction:  sh {name} [DEVICE]
set -eu
DEVICE=${{1:-{device}}}
now() {{ cut -d ' ' -f 1 /proc/uptime; }}
# Wait until so many seconds after the start of the pass; late steps do not add up.
at() {{
  sleep "$(awk -v start="$START" -v due="$1" -v now="$(now)" \\
    'BEGIN {{ rest = start + due - now; print (rest > 0 ? rest : 0) }}')"
}}
step() {{ tc qdisc change dev "$DEVICE" root netem limit {limit} "$@"; }}
tc qdisc add dev "$DEVICE" root netem limit {limit} {first}
trap 'tc qdisc del dev "$DEVICE" root 2> /dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
START=$(now)
"""


def write(pattern: Pattern, path: Path, values: Values) -> Sequence[str]:
    """Write a script for one direction, with sleeps until the absolute time of each step.

    Raises
    ------
    InputError
        If the device or limit cannot be one.
    """
    device, limit = values["device"], values["limit"]
    if not _DEVICE.fullmatch(device):
        raise InputError("--device", f"is {shown(device)}; must be the name of a network device, such as eth0")
    if not re.fullmatch(r"[1-9][0-9]{0,8}", limit):
        raise InputError("--limit", f"is {shown(limit)}; must be a number of packets from 1")
    one = pattern.uplink if values["direction"] == "uplink" else pattern.downlink
    remarks = left_out(pattern, "tc", can=_CAN)
    if (one.rate_bps == 0).any() and pattern.outage == "hold":
        remarks.append("netem alone cannot hold packets in an outage; outages lose them")
    remarks.append(f"has the {values['direction']}; --direction chooses")
    words = [_netem(one, i) for i in range(len(pattern.time_s))]
    head = _HEAD.format(
        name=printable(path.name), steps=len(words), duration=f"{pattern.duration_s:.9g}", device=device, limit=limit,
        first=words[0],
    )  # fmt: skip
    with whole_file(path) as draft, draft.open("w", encoding="utf-8", errors="replace") as file:
        file.write(head)
        file.writelines(f"{line}\n" for line in _body(pattern, words))
        draft.chmod(0o755)
    return remarks


def _body(pattern: Pattern, words: list[str]) -> Iterator[str]:
    loops = pattern.end == "loop"
    if loops:
        yield "while :; do"
    indent = "  " if loops else ""
    for i, (time_s, word) in enumerate(zip(pattern.time_s.tolist(), words, strict=True)):
        if i:
            yield f"{indent}at {_seconds(time_s)}"
        if i or loops:
            yield f"{indent}step {word}"
    yield f"{indent}at {_seconds(pattern.duration_s)}"
    if loops:
        added = f'BEGIN {{ printf "%.9f", start + {_seconds(pattern.duration_s)} }}'
        yield f"  START=$(awk -v start=\"$START\" '{added}')"
        yield "done"
    elif pattern.end == "stop":
        yield "step loss 100%"
    if not loops:
        yield "# The last setting stays until the script is ended.\nwhile :; do sleep 1; done"


def _netem(one: Direction, i: int) -> str:
    """Return netem's words for a step."""
    words = []
    rate_bps = float(one.rate_bps[i])
    if rate_bps == 0:
        return "loss 100%"
    # A setting that lacks a rate keeps the one before it, and rate 0 is none; a rate below 8 bit/s rounds to 0 bytes/s.
    words.append(f"rate {round(min(max(rate_bps, _LEAST_BPS), HIGHEST_RATE_BPS))}bit")
    if one.delay_s[i] or one.jitter_s[i]:
        words.append(f"delay {to_ns(one.delay_s[i]) // 1000}us" + (
            f" {to_ns(one.jitter_s[i]) // 1000}us" if one.jitter_s[i] else ""
        ))  # fmt: skip
    if one.gilbert_p[i] or one.gilbert_r[i]:
        chances = (one.gilbert_p[i], one.gilbert_r[i], one.loss_bad[i], one.loss[i])
        words.append("loss gemodel " + " ".join(map(_percent, chances)))
    elif one.loss[i]:
        words.append(f"loss {_percent(one.loss[i])}")
    for name, values in (("duplicate", one.duplication), ("reorder", one.reordering)):
        if values[i] and (name != "reorder" or one.delay_s[i]):  # without a delay there is nothing to skip
            words.append(f"{name} {_percent(values[i])}")
    return " ".join(words)


def _percent(share: float) -> str:
    return f"{share * 100:.6f}".rstrip("0").rstrip(".") + "%"


def _seconds(time_s: float) -> str:
    return f"{time_s:.9f}".rstrip("0").rstrip(".")


def looks_like(head: str) -> bool:
    """Return whether it is a script that calls tc."""
    return head.startswith("#!") and "tc qdisc" in head


FORMAT = Format(
    "tc",
    "a shell script of tc qdisc change, for netem",
    (".sh",),
    looks_like,
    None,
    write,
    (
        Option("direction", "The direction that is written.", "downlink", ("downlink", "uplink")),
        Option("device", "Network device.", "eth0"),
        Option("limit", "netem's queue, packets.", "1000"),
    ),
)
