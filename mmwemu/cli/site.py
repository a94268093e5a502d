"""mmwemu site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import click

from mmwemu.apps.option_types import SEED, FilePath, Seconds, Size, Text, Whole
from mmwemu.cli.output import json_option, print_json, say
from mmwemu.core.errors import InputError
from mmwemu.core.units import format_size

if TYPE_CHECKING:
    from mmwemu.apps.web.sites.model import Site


@click.group("site")
def command() -> None:
    """Make, record and check web sites for mmwemu run web."""


@command.command("make")
@click.option(
    "--preset", type=Text(), help="One of the sites of Hurtig 2019: google, amazon, tripadvisor, huffpost, cnn."
)
@click.option(
    "--name", type=Text(), default="site", show_default=True, help="Name of the site, also in its host names."
)
@click.option("--objects", type=Whole(least=1, most=2000), help="Number of objects, the page included.")
@click.option("--bytes", "size_bytes", type=Size(), help="Bytes of all objects together, such as 3MB.")
@click.option("--hosts", type=Whole(least=1, most=50), help="Number of host names.  [default: 4, or the preset's]")
@click.option("--seed", type=SEED, default=1, show_default=True, help="Seed of sizes and content.")
@click.option("-o", "--output", required=True, type=FilePath(), help="Folder to make.")
@json_option
def make(
    preset: str | None,
    name: str,
    objects: int | None,
    size_bytes: int | None,
    hosts: int | None,
    seed: int,
    output: Path,
    as_json: bool,
) -> None:
    """Make a site with an exact number of objects and exact bytes.

    Either --preset, or --objects and --bytes. The same options give the same bytes.
    """
    from dataclasses import replace

    from mmwemu.apps.web.sites.make import make_site
    from mmwemu.apps.web.sites.model import PRESETS, SiteSpec

    if preset is not None:
        if preset not in PRESETS:
            raise InputError("preset", f"is {preset!r}; must be one of {', '.join(PRESETS)}")
        if objects is not None or size_bytes is not None:
            raise InputError("preset", "has its own --objects and --bytes; leave them out")
        spec = replace(PRESETS[preset], seed=seed)
    elif objects is None or size_bytes is None:
        raise InputError("site", "needs --objects and --bytes, or --preset")
    else:
        spec = SiteSpec(name, objects, size_bytes, seed=seed)
    site = make_site(spec if hosts is None else replace(spec, hosts=hosts), output)
    _print(site, output, as_json)


@command.command("check")
@click.argument("folder", type=FilePath())
@json_option
def check_(folder: Path, as_json: bool) -> None:
    """See that a site is whole and asks no outside host.

    Of a folder saved from a browser, list what will fail in every load: what it has not, and what outside hosts have.
    """
    from mmwemu.apps.web.sites.check import check

    found = check(folder)
    _print(found.site, folder, as_json, {"missing": dict(found.missing), "outside": found.outside})
    if as_json:
        return
    if found.site.origin == "saved":
        say(f"page: {found.site.index.path}")
    for url, source in found.missing:
        say(f"missing: {url}, asked for by {source}; answered with 404")
    for host, count in found.outside.items():
        say(f"outside: {host}, asked {count} times; fails at once")


@command.command("record")
@click.argument("url", type=Text(), default="")
@click.option("--flows", type=FilePath(), help="Take what mitmproxy wrote into this file instead.")
@click.option("--name", type=Text(), default="", help="Name of the site.  [default: its host]")
@click.option(
    "--device", type=Text(), default="iPhone X", show_default=True, help="A device of Puppeteer's list, or desktop."
)
@click.option("--limit-s", type=Seconds(above=0), default=40.0, show_default=True,
              help="Record no longer than this.")  # fmt: skip
@click.option("-o", "--output", required=True, type=FilePath(), help="Folder to make.")
@json_option
def record_(url: str, flows: Path | None, name: str, device: str, limit_s: float, output: Path, as_json: bool) -> None:
    """Record the site at URL, for mmwemu run web --site.

    A headless browser loads it through mitmproxy, which has to be installed. With --flows, the page is that at URL, or
    the first one in the file.
    """
    from mmwemu.apps.web.recording import Take, record, take_flows

    if flows is not None:
        recording, note = take_flows(flows, output, url, name), ""
    elif not url:
        raise InputError("site", "needs the URL to record, or --flows")
    else:
        recording, load = record(Take(url, name, device, limit_s), output)
        note = load.error
    _print(recording.site, output, as_json, {"left_out": recording.left_out, "note": note})
    if not as_json:
        if recording.left_out:
            say(f"left out: {recording.left_out} answers: to requests other than GET, with an error, or again")
        if note:
            say(f"{url}: {note}; what had come is kept")


def _print(site: Site, folder: Path, as_json: bool, more: Mapping[str, object] = MappingProxyType({})) -> None:
    if as_json:
        sizes = {"objects": len(site.objects), "size_bytes": site.size_bytes}
        print_json({"folder": folder, **sizes, "site": asdict(site), **more})
        return
    kinds = ", ".join(f"{count} {kind}" for kind, count in site.count().items() if count or kind != "other")
    size = f"{format_size(site.size_bytes)} ({site.size_bytes} bytes)"
    say(f"{folder}: {len(site.objects)} objects ({kinds}), {size}, {len(site.hosts)} hosts")
