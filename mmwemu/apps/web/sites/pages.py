"""Text of a made site: its page, style sheets and scripts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from mmwemu.apps.web.sites.model import SiteObject

# Run time of each script; a few ms, as in most scripts of real sites.
_WORK_MS = 3
_BLOCKING_SCRIPTS = 2
_PARAGRAPHS = 12
_SYLLABLES = (
    "ba",
    "cor",
    "den",
    "el",
    "fi",
    "gra",
    "hul",
    "in",
    "ke",
    "lo",
    "mer",
    "na",
    "pes",
    "ri",
    "sta",
    "tu",
    "va",
)


@dataclass(frozen=True)
class Parts:
    """Objects of a site by their use.

    Attributes
    ----------
    styles, scripts
        All style sheets and scripts; the first two scripts block the page.
    backgrounds
        Pictures in style sheets, at most one each.
    inserted
        Pictures that deferred scripts insert into the page, at most one each.
    pictures
        Pictures in the page: first the hero across its top, then the grid.
    """

    styles: Sequence[SiteObject]
    scripts: Sequence[SiteObject]
    backgrounds: Sequence[SiteObject]
    inserted: Sequence[SiteObject]
    pictures: Sequence[SiteObject]


def arrange(styles: Sequence[SiteObject], scripts: Sequence[SiteObject], images: Sequence[SiteObject]) -> Parts:
    """Return the images by referrer: style sheets at most a fifth, scripts a tenth, the page the rest."""
    backgrounds = min(len(styles), len(images) // 5)
    inserted = min(len(scripts[_BLOCKING_SCRIPTS:]), len(images) // 10)
    first = backgrounds + inserted
    return Parts(styles, scripts, images[:backgrounds], images[backgrounds:first], images[first:])


def address(item: SiteObject) -> str:
    """Return the URL of an object without a scheme, so that the page's scheme applies."""
    return f"//{item.host}/{item.path}"


def page(parts: Parts, name: str, seed: int) -> str:
    """Return the page: style sheets, blocking scripts, header, hero, grid, text, deferred scripts."""
    words = _words(seed)
    head = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<title>{name}</title><link rel="icon" href="data:,">',
    ]
    head += [f'<link rel="stylesheet" href="{address(item)}">' for item in parts.styles]
    head += [f'<script src="{address(item)}"></script>' for item in parts.scripts[:_BLOCKING_SCRIPTS]]
    head += [f'<script defer src="{address(item)}"></script>' for item in parts.scripts[_BLOCKING_SCRIPTS:]]
    body = ["</head><body>", f'<header class="b0"><b>{name}</b></header>', "<main>"]
    if parts.pictures:
        body.append(f'<img class="hero" alt="" src="{address(parts.pictures[0])}">')
    body.append(f"<h1>{_sentence(words, 5)}</h1>")
    body.append('<div class="grid">')
    body += [
        f'<figure><img alt="" src="{address(item)}"><figcaption>{_sentence(words, 2)}</figcaption></figure>'
        for item in parts.pictures[1:]
    ]
    body.append('</div><div id="more" class="grid"></div>')
    body += [
        f'<section class="b{i}"><h2>{_sentence(words, 3)}</h2></section>' for i in range(1, len(parts.backgrounds))
    ]
    body += [f"<p>{_sentence(words, 30)}</p>" for _ in range(_PARAGRAPHS)]
    return "\n".join([*head, *body, "</main>\n"])


def finish_page(text: str, size_bytes: int, seed: int) -> str:
    """Return a page padded to its exact size by inline data, as real pages carry their state."""
    opening, closing = '<script type="application/json">"', '"</script>\n'
    end = "</body></html>\n"
    room = size_bytes - len(text) - len(opening) - len(closing) - len(end)
    if room < 0:
        return text + end + " " * (size_bytes - len(text) - len(end))
    return text + opening + filler(room, seed) + closing + end


def page_bytes(text: str) -> int:
    """Return the smallest possible size of a page."""
    return len(finish_page(text, 0, 0))


def style(index: int, parts: Parts) -> str:
    """Return a style sheet; the first one lays out the page, each may refer to a picture."""
    rules = []
    if index == 0:
        rules += [
            "body{margin:0;font:16px/1.4 sans-serif;color:#1f2937;background:#f3f4f6}",
            "header{height:56px;padding:0 16px;line-height:56px;color:#fff;background:#1e3a5f center/cover}",
            ".hero{display:block;width:100%;height:220px;object-fit:cover;background:#e5e7eb}",
            "h1{font-size:22px;margin:12px 16px}p,h2{margin:12px 16px}h2{font-size:18px;line-height:80px}",
            ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(108px,1fr));gap:8px;padding:0 8px}",
            "figure{margin:0}figure img{display:block;width:100%;height:96px;object-fit:cover;background:#e5e7eb}",
            "figcaption{font-size:12px;height:18px;overflow:hidden}",
            "section{height:80px;margin:8px;color:#fff;background:#475569 center/cover}",
        ]
    if index < len(parts.backgrounds):
        rules.append(f".b{index}{{background-image:url({address(parts.backgrounds[index])})}}")
    return "\n".join(rules) + "\n"


def script(index: int, parts: Parts) -> str:
    """Return a script with a few ms of work; some deferred scripts also insert a picture into the page."""
    lines = [f"{{const start=performance.now();while(performance.now()-start<{_WORK_MS});}}"]
    deferred = index - _BLOCKING_SCRIPTS
    if 0 <= deferred < len(parts.inserted):
        lines += [
            "{const figure=document.createElement('figure'),picture=new Image();",
            f"picture.src='{address(parts.inserted[deferred])}';",
            "figure.append(picture);document.getElementById('more').append(figure);}",
        ]
    return "\n".join(lines) + "\n"


def finish_code(text: str, size_bytes: int, seed: int) -> str:
    """Return a style sheet or a script padded to its exact size by a comment."""
    room = size_bytes - len(text) - 5
    if room < 0:
        return text + "\n" * (size_bytes - len(text))
    return f"{text}/*{filler(room, seed)}*/\n"


def filler(size_bytes: int, seed: int) -> str:
    """Return ``size_bytes`` bytes of words."""
    block = _sentence(_words(seed), 400) + " "
    return (block * (size_bytes // len(block) + 1))[:size_bytes]


def _words(seed: int) -> random.Random:
    return random.Random(seed)


def _sentence(source: random.Random, count: int) -> str:
    return " ".join("".join(source.choices(_SYLLABLES, k=source.randint(1, 4))) for _ in range(count))
