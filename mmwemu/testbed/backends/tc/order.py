"""What the head is told to replay, as text."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np

from mmwemu.link.settings import LinkSettings, TcMode
from mmwemu.pattern.model import Direction, Pattern


def encode(settings: LinkSettings, mode: str) -> str:
    """Write settings as JSON, for `decode`; packets by number are left out."""
    pattern = settings.pattern
    steps = {
        name: {field.name: getattr(direction, field.name).tolist() for field in fields(Direction)}
        for name, direction in (("downlink", pattern.downlink), ("uplink", pattern.uplink))
    }
    rest = {name: getattr(pattern, name) for name in ("duration_s", "outage", "end")}
    asked = {field.name: getattr(settings, field.name) for field in fields(LinkSettings) if field.name != "pattern"}
    return json.dumps({"mode": mode, "time_s": pattern.time_s.tolist(), **steps, "pattern": rest, "settings": asked})


def decode(text: str) -> tuple[LinkSettings, TcMode]:
    """Read what `encode` wrote."""
    order: dict[str, Any] = json.loads(text)
    downlink, uplink = (
        Direction(**{key: np.array(values, dtype=np.float64) for key, values in order[name].items()})
        for name in ("downlink", "uplink")
    )
    time_s = np.array(order["time_s"], dtype=np.float64)
    pattern = Pattern(time_s, downlink=downlink, uplink=uplink, **order["pattern"])
    return LinkSettings(pattern, **order["settings"]), order["mode"]
