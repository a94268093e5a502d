"""Generator of sites."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mmwemu.apps.web.sites import model, pages, pictures, plan
from mmwemu.apps.web.sites.model import Kind, Site, SiteObject, SiteSpec
from mmwemu.core.errors import InputError
from mmwemu.core.files import whole_folder

_FOLDERS: dict[Kind, tuple[str, str]] = {"css": ("style", "css"), "js": ("code", "js"), "image": ("image", "jpg")}


def make_site(spec: SiteSpec, folder: Path) -> Site:
    """Make a site in a new folder and return it; equal specifications give equal bytes.

    Raises
    ------
    InputError
        If the folder exists, or the bytes are too few for the objects.
    MmwemuError
        If the disk is full.
    """
    site, contents = compose(spec)
    with whole_folder(folder) as draft:
        for item, content in zip(site.objects, contents, strict=True):
            file = draft / item.path
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(content)
        model.save(site, draft)
    return site


def compose(spec: SiteSpec) -> tuple[Site, list[bytes]]:
    """Return a site and the content of each of its objects."""
    random = np.random.default_rng([spec.seed, spec.objects, spec.size_bytes])
    hosts = tuple(f"www.{spec.name}.test" if i == 0 else f"cdn{i}.{spec.name}.test" for i in range(spec.hosts))
    blank = _objects(spec, hosts)
    parts = pages.arrange(blank["css"], blank["js"], blank["image"])
    text = pages.page(parts, spec.name, spec.seed)
    styles = [pages.style(i, parts) for i in range(len(blank["css"]))]
    scripts = [pages.script(i, parts) for i in range(len(blank["js"]))]
    needed = pages.page_bytes(text)
    if spec.size_bytes < needed:
        raise InputError("site: bytes", f"is {spec.size_bytes}; the page alone needs {needed}")
    page_bytes = spec.size_bytes if spec.objects == 1 else max(round(plan.HTML_BYTES * spec.size_bytes), needed)
    least: dict[Kind, list[int]] = {
        "css": [len(style) for style in styles],
        "js": [len(script) for script in scripts],
        "image": [pictures.LEAST_BYTES] * len(blank["image"]),
    }
    sizes = plan.share(spec.size_bytes - page_bytes, least, random)
    if parts.pictures:
        _enlarge(sizes["image"], len(blank["image"]) - len(parts.pictures))
    contents = [pages.finish_page(text, page_bytes, spec.seed).encode()]
    codes = zip([*styles, *scripts], [*sizes.get("css", []), *sizes.get("js", [])], strict=True)
    contents += [pages.finish_code(code, size, spec.seed + n).encode() for n, (code, size) in enumerate(codes)]
    contents += [pictures.jpeg(size, random) for size in sizes.get("image", [])]
    named = [item for items in blank.values() for item in items]
    objects = [SiteObject(o.path, o.kind, o.host, len(content)) for o, content in zip(named, contents, strict=True)]
    return Site(spec.name, spec.seed, hosts, tuple(objects)), contents


def _objects(spec: SiteSpec, hosts: tuple[str, ...]) -> dict[Kind, list[SiteObject]]:
    """Return the named objects; style sheets and scripts rotate over all hosts, images over all but the first."""
    found: dict[Kind, list[SiteObject]] = {"html": [SiteObject("index.html", "html", hosts[0], 0)]}
    counts = plan.count_kinds(spec.objects)
    for kind, (folder, ending) in _FOLDERS.items():
        turn = hosts[1:] or hosts if kind == "image" else hosts
        found[kind] = [
            SiteObject(f"{folder}/{i + 1:03}.{ending}", kind, turn[i % len(turn)], 0) for i in range(counts[kind])
        ]
    return found


def _enlarge(sizes: list[int], hero: int) -> None:
    """Swap sizes so that the hero picture, across the top, has the 90th percentile of sizes."""
    large = sorted(range(len(sizes)), key=sizes.__getitem__)[int(0.9 * (len(sizes) - 1))]
    sizes[hero], sizes[large] = sizes[large], sizes[hero]
