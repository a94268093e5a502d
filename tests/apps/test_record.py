"""Sites recorded through the user's mitmproxy from a server on this computer, and loaded again over a link."""

import gzip
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from mmwemu.apps.web.application import Pages
from mmwemu.apps.web.sites.check import check
from mmwemu.apps.web.sites.pictures import jpeg
from mmwemu.apps.web.recording import Take, find_mitmdump, record, take_flows
from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.pattern.convert import constant
from tests.apps import running

pytestmark = pytest.mark.apps

PICTURE = jpeg(30_000, np.random.default_rng(1))
STYLE = gzip.compress(b"body{background:#135;color:#fff}" + b"/* padding */" * 500)
PAGE = """<!doctype html><title>Live</title><link rel="stylesheet" href="/s.css?v=1"><link rel="icon" href="data:,">
<h1>Live</h1><img src="//localhost:{other}/A%20picture.jpg?size=2&amp;q=$a" width="200"><img src="/gone.png">
<script>fetch('/count', {{method: 'POST', body: 'x'}}); fetch('//localhost:{other}/data.json').then((a) => a.json())
.then((d) => {{ const i = new Image(); i.src = d.next; document.body.append(i); }});</script>"""


class Handler(BaseHTTPRequestHandler):
    """A site as they are: a redirect, a query, compression, another origin, what it counts and what it has lost."""

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.answer(200, b"1")

    def do_GET(self):
        if self.path == "/":
            self.answer(302, Location="/start?lang=$en")
        elif self.path.startswith("/start"):
            page = PAGE.format(other=self.server.other).encode()
            self.answer(200, page, Content_Type="text/html; charset=utf-8", Set_Cookie="a=b")
        elif self.path == "/s.css?v=1":
            self.answer(200, STYLE, Content_Type="text/css", Content_Encoding="gzip", Cache_Control="max-age=60")
        elif self.path in ("/A%20picture.jpg?size=2&q=$a", "/next.jpg"):
            self.answer(200, PICTURE, Content_Type="image/jpeg")
        elif self.path == "/data.json":
            body = f'{{"next": "//localhost:{self.server.other}/next.jpg"}}'.encode()
            self.answer(200, body, Content_Type="application/json", Access_Control_Allow_Origin="*")
        else:
            self.answer(404)


@pytest.fixture(scope="module")
def live():
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
    for server in servers:
        server.other = servers[1].server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{servers[0].server_address[1]}/"
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True, scope="module")
def _needs_mitmproxy(needs_browser):
    try:
        find_mitmdump()
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def site(live, tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded") / "live"
    recording, outcome = record(Take(live, name="live"), folder)
    assert (outcome.status, recording.left_out) == ("ok", 2)
    return folder


def test_a_recording_has_what_the_browser_was_given(site):
    found = check(site).site
    assert (found.origin, found.name, found.page_url) == ("recorded", "live", "/")
    assert found.hosts == ("127.0.0.1", "localhost")
    by_url = {item.url: item for item in found.objects}
    assert set(by_url) == {
        "/", "/start?lang=$en", "/s.css?v=1", "/A%20picture.jpg?size=2&q=$a", "/data.json", "/next.jpg",
    }  # fmt: skip
    assert by_url["/"].headers["location"] == "/start?lang=$en"
    style = by_url["/s.css?v=1"]
    assert style.headers == {"content-type": "text/css", "content-encoding": "gzip", "cache-control": "max-age=60"}
    assert (site / style.path).read_bytes() == STYLE
    assert "set-cookie" not in str(found)


@pytest.mark.parametrize("protocol", ["http", "h2"])
def test_a_recording_is_loaded_again_as_it_was(tmp_path, site, protocol):
    (run,) = running.run(tmp_path, constant(2e6, 60.0), Pages(sites=(str(site),), protocol=protocol))
    assert (run.status, run.error) == ("ok", "")
    # All but the picture that was lost and the request that was no GET.
    assert (run.requests, run.failed_requests) == (8, 2)
    page = len(PAGE.format(other=12345))
    assert run.body_bytes > 2 * len(PICTURE) + page
    assert run.wire_bytes < 2 * len(PICTURE) + len(STYLE) + page + 5000
    assert run.on_load_s > 0.25


def test_flows_of_another_session_are_a_site_too(tmp_path, live):
    flows = tmp_path / "session.flows"
    port = 0
    from mmwemu.apps.web.recording import _proxy

    answers = tmp_path / "answers"
    answers.mkdir()
    # The user's own recording: mitmdump with -w, here beside the script that is used anyway.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mmwemu.apps.web.recording._mitmdump",
                      lambda program, folder: [program, "--quiet", "--set", f"confdir={folder}/c", "-w", str(flows),
                                               "-s", str(script())])  # fmt: skip
        with _proxy(find_mitmdump(), tmp_path, answers) as port:
            curl = process.find_tool("curl", "install curl")
            for path in ("start?lang=$en", "s.css?v=1"):
                done = process.run([curl, "-sS", "--fail", "--noproxy", "", "-x", f"127.0.0.1:{port}", live + path])
                assert done.returncode == 0, done.stderr
    recording = take_flows(flows, tmp_path / "taken", name="taken")
    assert [item.url for item in recording.site.objects] == ["/start?lang=$en", "/s.css?v=1"]
    assert check(tmp_path / "taken").site == recording.site


def script():
    import mmwemu.apps.web.sites

    return Path(mmwemu.apps.web.sites.__file__).with_name("mitmproxy_script.py")


def test_what_cannot_be_recorded_is_one_line_and_leaves_nothing(tmp_path, live):
    with pytest.raises(MmwemuError, match="was not recorded: the server answered 404"):
        record(Take(live + "gone"), tmp_path / "gone")
    with pytest.raises(MmwemuError, match="was not recorded: the server answered 502"):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        record(Take(f"http://127.0.0.1:{port}/"), tmp_path / "refused")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with pytest.raises(MmwemuError, match="was not recorded: not loaded within 2 s"):
            record(Take(f"http://127.0.0.1:{silent.getsockname()[1]}/", limit_s=2.0), tmp_path / "silent")
    (tmp_path / "no.flows").write_text("this is no flow")
    with pytest.raises(InputError, match="has no flows that mitmproxy can read"):
        take_flows(tmp_path / "no.flows", tmp_path / "no")
    with pytest.raises(InputError, match="is not the address of a page"):
        Take("www.example.com")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["no.flows"]
