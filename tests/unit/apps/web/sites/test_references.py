"""What a browser loads with a page or a style sheet."""

import pytest

from mmwemu.apps.web.sites import references

BASE = "http://h/p/q.html"


def found(text):
    return [url.removeprefix("http://h/p/") for url in references.in_page(text, BASE)]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ('<script src="a">', ["a"]),
        ('<img src="a" srcset="b 1x, c 2x">', ["a", "b", "c"]),
        ('<source src="a" srcset="b">', ["a", "b"]),
        ('<iframe src="a">', ["a"]),
        ('<frame src="a">', ["a"]),
        ('<embed src="a">', ["a"]),
        ('<object data="a" src="no">', ["a"]),
        ('<video src="a" poster="b">', ["a", "b"]),
        ('<audio src="a">', ["a"]),
        ('<track src="a">', ["a"]),
        ('<body background="a">', ["a"]),
        ('<input type="IMAGE" src="a"><input type="text" src="no"><input src="no">', ["a"]),
        ('<link rel="stylesheet" href="a">', ["a"]),
        ('<link rel="Shortcut ICON" href="a">', ["a"]),
        ('<link rel="preload" href="a"><link rel="modulepreload" href="b">', ["a", "b"]),
        ('<link rel="canonical" href="no"><link href="no"><link rel="icon">', []),
        ('<a href="no"><p src="no">', []),
        ('<p style="background:url(a)">', ["a"]),
        ("<style>b{background:url(a)}</style>", ["a"]),
        ("url(no)<p>url(no)</p><style></style>url(no)", []),
        ("<style>p{}</style><b>url(no)</b>", []),
        ("<noscript><img src=no></noscript><img src=a>", ["a"]),
        ("<template><template></template><img src=no></template><img src=a>", ["a"]),
        ("<noscript><style>p{background:url(no)}</style></noscript>", []),
        ("</template><img src=a>", ["a"]),
        ('<base href="/x/"><img src="a">', ["http://h/x/a"]),
        ('<base href=""><base target="_blank"><img src="a">', ["a"]),
        ("<img src=a><img src=b><img src=a>", ["a", "b"]),
        ("<img src=data:x><img src=mailto:x><img src=javascript:x><img src=https://o/a>", ["https://o/a"]),
        ("<img src><img>", []),
    ],
)
def test_a_page_loads_these(text, urls):
    assert found(text) == urls


@pytest.mark.parametrize(
    ("srcset", "urls"),
    [
        ("a 1x, b 2x", ["a", "b"]),
        ("a,b 1x, c", ["a,b", "c"]),  # a comma may be part of an address
        ("a 1x,https://o/b 2x,//o/c", ["a", "https://o/b", "http://o/c"]),
        ("a 1x,\nb 2x", ["a", "b"]),
        ("  a   2x  ", ["a"]),
        ("", []),
    ],
)
def test_a_set_of_pictures_is_split_at_its_commas(srcset, urls):
    assert found(f'<img srcset="{srcset}">') == urls


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("url(a)", ["a"]),
        ('url( "a b" )', ["a b"]),
        ("url('a')", ["a"]),
        ('@import "a";', ["a"]),
        ("@import 'a';", ["a"]),
        ("@import url(a);", ["a"]),
        ("/* url(no)\n */ url(a) /* url(no) */", ["a"]),
        ("url(data:x) url()", []),
        ("url(a) url(b) url(a)", ["a", "b"]),
    ],
)
def test_a_style_sheet_loads_these(text, urls):
    assert [
        url.removeprefix("http://h/s/")
        for url in references.in_style(text, "http://h/s/t.css")
        if url != "http://h/s/t.css"
    ] == urls
