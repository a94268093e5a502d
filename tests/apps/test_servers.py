"""Both servers answer alike, whatever addresses and headers are."""

import gzip

import pytest

from mmwemu.apps.shared.webserver import caddy, nginx
from mmwemu.apps.shared.webserver.hosts import Reply, VirtualHost
from mmwemu.apps.shared.webserver.server import serve
from mmwemu.core import process
from mmwemu.core.errors import MissingError
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from tests.testbeds import replaying

pytestmark = pytest.mark.apps
REPLIES = {
    "/": ("page", {"content-type": "text/html; charset=utf-8", "link": "</a.css>; rel=preload; as=style"}),
    "/old": ("", {"location": "https://other.test/new?x=${y}&{z}"}),
    "/a.css": ("small", {"content-type": "text/css", "cache-control": "max-age=60"}),
    "/A.css": ("large", {"content-type": "text/css"}),
    "/a.css?v=1": ("v1", {"content-type": "text/css"}),
    "/z": ("packed", {"content-encoding": "gzip", "content-type": "text/plain"}),
    '/grün "x"/{b}/100%/$c//d+e': ("odd", {"access-control-allow-origin": "*"}),
    "/no-type": ("<b>", {}),
    "/latin \udce4": ("latin", {}),
}
ASKED = {
    "/": "page",
    "/old": None,
    "/a.css": "small",
    "/A.css": "large",
    "/a.css?v=1": "v1",
    "/a.css%3Fv=1": "v1",
    "/a.css?v=2": "small",
    "/z": "packed",
    "/gr%C3%BCn%20%22x%22/%7Bb%7D/100%25/$c//d+e": "odd",
    "/no-type?": "<b>",
    "/latin%20%E4": "latin",
    "/none": None,
    "/../etc/passwd": None,
}


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def ask(request, tmp_path_factory, needs_link):
    try:
        request.param.find()
        curl = process.find_tool("curl", "install curl")
    except MissingError as error:
        pytest.skip(str(error))
    root = tmp_path_factory.mktemp("root")
    replies = []
    for number, (path, (text, headers)) in enumerate(REPLIES.items()):
        body = gzip.compress(text.encode(), mtime=0) if "content-encoding" in headers else text.encode()
        (root / str(number)).write_bytes(body)
        replies.append(Reply(path, str(number), headers))
    host = VirtualHost(("www.some.test", "two.some.test"), root, tuple(replies), http3=request.param is caddy)
    with replaying(LinkSettings(constant(100e6, 60.0))) as testbed, serve(testbed.server, [host]) as server:
        (server.content / "file").write_text("content")
        (server.content / "link").symlink_to("/etc/passwd")
        (server.content / "folder").symlink_to("/etc")

        def ask(url, *options):
            to = f"::{testbed.server.address}:"
            argv = [curl, "-sk", "--path-as-is", "--connect-to", to, "-D", "-", *options, url]
            output, _ = testbed.client.popen(argv, stdout=-1).communicate(timeout=20)
            head, _, body = output.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            headers = dict(line.split(": ", 1) for line in lines[1:])
            return int(lines[0].split()[1]), {name.lower(): value for name, value in headers.items()}, body

        yield ask, server.base_url, request.param


@pytest.mark.parametrize("path", ASKED)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_replies(ask, scheme, path):
    ask, _, _ = ask
    status, headers, body = ask(f"{scheme}://two.some.test{path}")
    if path == "/old":
        assert (status, headers["location"]) == (302, "https://other.test/new?x=${y}&{z}")
        return
    if ASKED[path] is None:
        assert status in (400, 404)
        return
    assert status == 200
    wanted = next(headers for text, headers in REPLIES.values() if text == ASKED[path])
    known = {name: value for name, value in headers.items() if name in {h for _, hs in REPLIES.values() for h in hs}}
    assert known == wanted
    assert (gzip.decompress(body) if "content-encoding" in wanted else body).decode() == ASKED[path]


def test_files_of_the_address_itself(ask):
    ask, base_url, _ = ask
    assert ask(f"{base_url}/file")[::2] == (200, b"content")
    assert ask(f"{base_url}/other")[0] == 404


def test_links_are_not_followed_by_nginx(ask):
    """Films are served from the user's cache as they lie; sites, which caddy serves too, are copied without links."""
    ask, base_url, kind = ask
    if kind is caddy:
        pytest.skip("caddy has no such setting")
    for path in ("link", "folder/passwd"):
        status, _, body = ask(f"{base_url}/{path}")
        assert status in (403, 404)
        assert b"root:" not in body
