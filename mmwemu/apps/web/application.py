"""Application that loads web pages with a cold cache."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal

from mmwemu.apps.application import Context, Go, Outcome, check_limit
from mmwemu.apps.shared.browser.modules import Tools, find_tools
from mmwemu.apps.shared.webserver import caddy
from mmwemu.apps.shared.webserver.certificate import find_openssl
from mmwemu.apps.shared.webserver.hosts import VirtualHost
from mmwemu.apps.web.client import DEVICE, Browser, Protocol, Visit, check_device, load, open_browser
from mmwemu.apps.web.record import WebRun
from mmwemu.apps.web.result import Load
from mmwemu.apps.web.sites.check import check
from mmwemu.apps.web.sites.make import make_site
from mmwemu.apps.web.sites.model import PRESETS, Site
from mmwemu.apps.web.sites.put import put
from mmwemu.core.errors import InputError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.capacity import time_to_pass
from mmwemu.results.records import Run

# A load of at most this ratio of its control load is CPU-bound: it shows the machine more than the link.
_CPU_BOUND_RATIO = 1.1
# Greatest age of a control load: the other load of a machine changes within minutes.
_CONTROL_AGE_S = 120.0
# What a browser takes for a load at any rate, and its share of the control loads.
_BROWSER_S = 2.5

Controls = Literal["recent", "each"]


@dataclass(frozen=True)
class Pages:
    """Settings of page loads.

    Attributes
    ----------
    sites
        Folders of sites, or names of presets.
    protocol, device, limit_s
        As in `mmwemu.apps.web.client.Visit`.
    keep
        Keep film strip, HAR and trace of every load in the results folder.
    control
        ``recent``: compare with a control load at most two minutes old; ``each``: make one before each load.
    """

    sites: tuple[str, ...] = ("google",)
    protocol: Protocol = "h2"
    device: str = DEVICE
    limit_s: float = 40.0
    keep: bool = False
    control: Controls = "recent"

    name: ClassVar[str] = "web"
    record: ClassVar[type[Run]] = WebRun

    def __post_init__(self) -> None:
        if not self.sites:
            raise InputError("site", "has no value; at least one is needed")
        check_limit(self.limit_s)

    @property
    def cases(self) -> tuple[str, ...]:
        """The sites."""
        return self.sites

    @property
    def uses_tcp(self) -> bool:
        """Whether pages come over TCP."""
        return self.protocol != "h3"

    def expected_s(self, case: str, settings: LinkSettings, clients: int) -> float:
        """Return the time until the pattern has carried a shipped site, and the browser's own; for others the limit."""
        if case not in PRESETS:
            return self.limit_s
        size_bytes = PRESETS[case].size_bytes * clients
        carried_s = time_to_pass(settings.pattern, settings.pattern.downlink, settings.start_at_s, size_bytes)
        return min(self.limit_s, _BROWSER_S + carried_s)

    def prepare(self, folder: Path, on_progress: OnProgress = ignore) -> PreparedPages:
        """Find the tools, and copy or make the sites in ``folder``, where the server can read them.

        Raises
        ------
        InputError
            If a site or the device cannot be used.
        MissingError
            If node, a browser, the driver's modules, openssl, or caddy for HTTP/3 are missing.
        """
        tools = find_tools()
        find_openssl()
        if self.protocol == "h3":
            caddy.find()
        check_device(tools, self.device)
        return PreparedPages(self, tools, _sites(self.sites, folder))


@dataclass(frozen=True)
class PreparedPages:
    """Page loads ready to begin."""

    asked: Pages
    tools: Tools
    sites: dict[str, tuple[Site, list[VirtualHost]]]
    controls: dict[str, tuple[Load, float]] = field(default_factory=dict)
    browsers: dict[int, Browser] = field(default_factory=dict)

    @property
    def hosts(self) -> list[VirtualHost]:
        """The hosts of all sites."""
        http3 = self.asked.protocol == "h3"
        return [replace(host, http3=http3) for _, hosts in self.sites.values() for host in hosts]

    def before(self, context: Context, case: str) -> None:
        """Make a control load of a site with the same delay and unlimited rate, which shows the limit of the machine.

        The first load of a site also warms file caches and is discarded.
        """
        known = self.controls.get(case)
        if known and self.asked.control == "recent" and time.monotonic() - known[1] <= _CONTROL_AGE_S:
            return
        context.open_link()
        visit, browser = self._visit(context, case), self._browser(context)
        outcome = load(browser, visit)
        if known is None and outcome.status == "ok":
            outcome = load(browser, visit)
        self.controls[case] = outcome, time.monotonic()

    def run(self, context: Context, case: str, number: int, go: Go) -> Outcome:
        """Load a page once."""
        kept = context.folder / "pages" / f"{number:05}" if self.asked.keep else None
        site, (control, made_s) = self.sites[case][0], self.controls[case]
        age_s = time.monotonic() - made_s
        outcome = load(self._browser(context), self._visit(context, case), kept, go)
        measured = asdict(outcome)
        del measured["frames"]
        columns: dict[str, object] = {
            "site": site.name,
            "objects": len(site.objects),
            "site_bytes": site.size_bytes,
            "protocol": self.asked.protocol,
            "device": self.asked.device,
            "limit_s": self.asked.limit_s,
            **measured,
            "control_on_load_s": control.on_load_s,
            "control_speed_index_s": control.speed_index_s,
            "control_age_s": age_s,
        }
        return Outcome(columns, cpu_bound_because=cpu_bound_because(outcome, control))

    def _browser(self, context: Context) -> Browser:
        """Return the browser of a client, opened once."""
        number = context.client.number
        if number not in self.browsers:
            self.browsers[number] = open_browser(self.tools, context.client.popen, context.server.address)
        return self.browsers[number]

    def _visit(self, context: Context, case: str) -> Visit:
        assert context.webserver is not None
        certificates = context.webserver.certificates
        key = certificates.public_key_sha256 if certificates else ""
        return Visit(self.sites[case][0], key, self.asked.protocol, self.asked.device, self.asked.limit_s)


def cpu_bound_because(outcome: Load, control: Load) -> str:
    """Return why a load is CPU-bound: it took hardly longer than its control load; empty if it is not."""
    if outcome.status != "ok" or outcome.on_load_s is None or control.on_load_s is None:
        return ""
    if outcome.on_load_s > _CPU_BOUND_RATIO * control.on_load_s:
        return ""
    return f"the load took {outcome.on_load_s:.2f} s, and {control.on_load_s:.2f} s over a link of unlimited rate"


def _sites(names: Sequence[str], root: Path) -> dict[str, tuple[Site, list[VirtualHost]]]:
    """Put each site into a folder of its own below ``root``; return sites and their virtual hosts by name as asked."""
    found: dict[str, tuple[Site, list[VirtualHost]]] = {}
    taken: dict[str, str] = {}
    for name in dict.fromkeys(names):
        folder = root / str(len(found))
        if name in PRESETS and not Path(name).is_dir():
            site = make_site(PRESETS[name], folder)
            hosts = [VirtualHost(site.hosts, folder)]
        else:
            site = check(Path(name)).site
            hosts = put(site, Path(name), folder)
        for host in site.hosts:
            if host in taken:
                raise InputError(name, f"has the host {host}, as {taken[host]} has; give one of them another name")
            taken[host] = name
        found[name] = (site, hosts)
    return found
