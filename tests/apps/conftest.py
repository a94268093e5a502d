import math

import pytest

from mmwemu.apps.shared.browser.modules import find_tools
from mmwemu.apps.shared.webserver.certificate import find_openssl
from mmwemu.apps.web.application import Pages, PreparedPages
from mmwemu.apps.web.sites.make import make_site
from mmwemu.apps.web.sites.model import SiteSpec
from mmwemu.core import process
from mmwemu.core.errors import MissingError
from mmwemu.pattern.convert import constant
from tests.apps import running


@pytest.fixture(scope="session")
def needs_browser(needs_link):
    """Skip where no page can be loaded over a link, with the reason."""
    try:
        process.find_tool("nginx", "install nginx-light")
        find_openssl()
        find_tools()
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Give a site of 25 objects and 400 kB on three hosts."""
    folder = tmp_path_factory.mktemp("sites") / "small"
    make_site(SiteSpec("small", 25, 400_000, hosts=3), folder)
    return folder


@pytest.fixture(scope="session")
def _controls():
    return {}


@pytest.fixture
def shared_controls(_controls, monkeypatch):
    """Let tests share the control loads of a site, as repetitions of one run do; gives them by protocol and device."""

    def prepared(asked, tools, sites):
        return PreparedPages(asked, tools, sites, _controls.setdefault((asked.protocol, asked.device), {}))

    monkeypatch.setattr("mmwemu.apps.web.application.PreparedPages", prepared)
    monkeypatch.setattr("mmwemu.apps.web.application._CONTROL_AGE_S", math.inf)
    return _controls


@pytest.fixture
def controlled_site(site, shared_controls, tmp_path_factory):
    """Give the site with its control load made, so that no other than a test's own loads come."""
    asked = Pages(sites=(str(site),))
    if str(site) not in shared_controls.get((asked.protocol, asked.device), {}):
        (run,) = running.run(tmp_path_factory.mktemp("control"), constant(100e6, 60.0), asked)
        assert run.status == "ok"
    return site
