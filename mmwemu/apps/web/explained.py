"""How page loads are explained."""

from __future__ import annotations

from pathlib import Path

from mmwemu.apps.explained import Explained, Extent, Row, check_protocol
from mmwemu.apps.web.application import Pages
from mmwemu.core.errors import InputError


def extent(run: Row, _: float) -> Extent:
    """Return when a load began: the browser counts from the start of the navigation."""
    check_protocol(run)
    lead_s, length_s = run.get("connect_start_s"), run["on_load_s"]
    if lead_s is None or lead_s != lead_s:
        raise InputError(f"run {run['run']}: connect_start_s", "is not known; load the page again with this mmwemu")
    if run["status"] != "ok" or length_s is None or length_s != length_s:
        length_s = run["duration_s"]
    return Extent(float(lead_s), float(length_s))


def again(asked: Row, run: Row) -> Pages:
    """Return the load of one site."""
    try:
        named = [str(site) for site in asked["sites"]]
        fitting = [site for site in named if run["site"] in (site, Path(site).name)] or named
        if len(fitting) != 1:
            raise InputError("manifest.json: asked", f"names no site {run['site']}, but {', '.join(named)}")
        limit_s = float(run["limit_s"])
        return Pages((fitting[0],), run["protocol"], run["device"], limit_s, control=asked["control"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("manifest.json: asked", f"does not say what was loaded ({error!r})") from None


EXPLAINED = Explained(extent, again, "on_load_s")
