"""Options of the link and of the testbed, which several verbs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import cloup

from mmwemu.apps.option_types import Number, Rate, Seconds, Several, Text, Whole
from mmwemu.apps.shipped_types import PROFILE
from mmwemu.cli import pattern_input
from mmwemu.cli.output import warn
from mmwemu.cli.sender_options import FIELDS as SENDER_FIELDS
from mmwemu.core.bounds import (
    LARGEST_PROXY_BUFFER_BYTES,
    LARGEST_QUEUE_BDP,
    LARGEST_QUEUE_BYTES,
    LARGEST_QUEUE_PACKETS,
    LONGEST_DELAY_S,
    LONGEST_TIMER_S,
    SHORTEST_INFORMATION_S,
)
from mmwemu.core.units import ms
from mmwemu.link.profile import MTU_BYTES, LinkProfile
from mmwemu.testbed.proxies.registry import names

if TYPE_CHECKING:
    from mmwemu.testbed.setup import Setup

Decorator = Callable[[Any], Any]


@dataclass(frozen=True)
class _Value:
    """An option that sets a value of the link profile; ``scale`` times the option's number is the value."""

    flag: str
    field: str
    type: Any
    help: str
    scale: float = 1.0

    @property
    def default(self) -> str:
        """The value without option and profile, for the help."""
        value = getattr(LinkProfile, self.field)
        return (
            "" if value is None else f"  [default: {value if isinstance(value, str) else f'{value / self.scale:.10g}'}]"
        )

    def option(self, several: bool) -> Decorator:
        """Return the option."""
        kind = Several(self.type) if several else self.type
        decorator: Decorator = cloup.option(self.flag, self.field, type=kind, help=self.help + self.default)
        return decorator


_BYTES = Whole("bytes", least=MTU_BYTES, most=LARGEST_QUEUE_BYTES)
_PACKETS = Whole("packets", least=1, most=LARGEST_QUEUE_PACKETS)
_MS = Number("ms", above=0, most=ms(LONGEST_DELAY_S))
_BDP = Number("", above=0, most=LARGEST_QUEUE_BDP)
_AQMS = click.Choice(["drop-tail", "drop-head", "codel", "fq_codel", "pie"])
_VALUES = (
    _Value("--delay-ms", "delay_s", Number("ms", most=ms(LONGEST_DELAY_S)), "Delay of the core link, each way.", 1e-3),
    _Value("--queue-bytes", "queue_bytes", _BYTES, "Queue of the bottleneck, each direction."),
    _Value("--queue-packets", "queue_packets", _PACKETS, "Queue in packets, instead of bytes."),
    _Value("--queue-ms", "queue_s", _MS, "Queue in time at the pattern's mean rate, instead of bytes.", 1e-3),
    _Value("--queue-bdp", "queue_bdp", _BDP, "Queue in products of mean rate and round trip, instead of bytes."),
    _Value("--aqm", "aqm", _AQMS, "Which packets the queue drops."),
    _Value("--uplink-queue-bytes", "uplink_queue_bytes", _BYTES, "Queue of the uplink alone."),
    _Value("--uplink-queue-packets", "uplink_queue_packets", _PACKETS, "The same in packets."),
    _Value("--uplink-queue-ms", "uplink_queue_s", _MS, "The same in time at the uplink's mean rate.", 1e-3),
    _Value("--uplink-queue-bdp", "uplink_queue_bdp", _BDP, "The same in products of its mean rate and round trip."),
    _Value("--uplink-aqm", "uplink_aqm", _AQMS, "Which packets the uplink's queue drops.  [default: as --aqm]"),
    _Value("--slot-us", "slot_s", Number("us", most=1e6),
           "Packets leave in bursts at the ends of slots of this length; 0: smoothly.", 1e-6),
    _Value("--milliproxy-information-ms", "milliproxy_information_s",
           Number("ms", least=ms(SHORTEST_INFORMATION_S), most=ms(LONGEST_TIMER_S)),
           "--edge-proxy milliproxy is told rate and queue this often.", 1e-3),
    _Value("--milliproxy-delay-ms", "milliproxy_delay_s", Number("ms", most=ms(LONGEST_TIMER_S)),
           "This information is so old when it gets there.", 1e-3),
    _Value("--milliproxy-buffer-bytes", "milliproxy_buffer_bytes",
           Whole("bytes", least=0, most=LARGEST_PROXY_BUFFER_BYTES), "It holds back this much of a connection."),
)  # fmt: skip


def link_options(*, several: bool = False) -> Decorator:
    """Return the options of the link profile, with several values each on request; `link_profile` reads them."""
    group: Decorator = cloup.option_group(
        "Link",
        cloup.option("--link", "profile_name", type=PROFILE, metavar="NAME|FILE.toml",
                     help="Link profile, which the options below override; mmwemu link --list-profiles lists them."),
        *(value.option(several) for value in _VALUES),
        cloup.option("--ecn/--no-ecn", default=None,
                     help="codel, fq_codel, pie: mark packets instead of dropping them, and let TCP negotiate ECN."),
        help="Several values, separated by commas, run each case with each of them." if several else None,
    )  # fmt: skip
    return group


def variations(options: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Return the options of the link and of the sender that have several values; each becomes its first in ``options``.

    The options are those of `link_options`, `congestion_control_option` and `mmwemu.cli.sender_options`.
    """
    vary = {}
    scales = {**dict.fromkeys(("congestion_control", *SENDER_FIELDS), 1.0), **{one.field: one.scale for one in _VALUES}}
    for field, scale in scales.items():
        values = options[field]
        if values is not None and len(values) > 1:
            vary[field] = tuple(value if scale == 1.0 else value * scale for value in values)
        options[field] = values and values[0]
    return vary


def link_profile(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of `link_options` out of ``options`` and return the fields of a `LinkProfile`.

    Raises
    ------
    InputError
        If the profile cannot be used.
    """
    name = options.pop("profile_name")
    profile = LinkProfile()
    if name is not None:
        from mmwemu.link import profile_files

        profile = profile_files.load(name).profile
    asked = {value.field: (options.pop(value.field), value.scale) for value in _VALUES}
    changes = {
        field: given if scale == 1.0 else given * scale for field, (given, scale) in asked.items() if given is not None
    }
    if (ecn := options.pop("ecn")) is not None:
        changes["ecn"] = ecn
    return profile.override(**changes).profile()


def congestion_control_option(default: str, *, several: bool = False) -> Decorator:
    """Return the option of the TCP congestion control; ``default`` tells the help what holds without it."""
    text = "TCP congestion control of all places" + (", or several: cubic,bbr." if several else ".")
    kind = Several(Text()) if several else Text()
    option: Decorator = cloup.option("--cc", "congestion_control", type=kind, help=f"{text}  [default: {default}]")
    return option


class _Milliseconds(Number):
    """A number of milliseconds, of which the value is seconds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds."""
        return super().convert(value, param, ctx) * 1e-3


def _only_one(_: click.Context, parameter: click.Parameter, given: Sequence[str]) -> str | None:
    """Return the value of an option that may be given once."""
    if len(given) > 1:
        raise click.UsageError(f"{parameter.opts[0]} is given {len(given)} times; there can be one")
    return given[0] if given else None


def testbed_options(function: Any) -> Any:
    """Add the options of the testbed, all but the congestion control's."""
    add = cloup.option_group(
        "Testbed",
        cloup.option("--clients", type=Whole(least=1, most=250), help="Number of clients.  [default: 1]"),
        cloup.option("--scheduler", type=click.Choice(["fifo", "round-robin", "proportional-fair", "max-rate"]),
                     default="fifo", show_default=True,
                     help="Clients share one queue, or each has its own and gets slots of --slot-us, 125 to 1000."),
        cloup.option("--client-shift-s", type=Seconds(), default=0.0, show_default=True,
                     help="With a scheduler: each client is this much further in its pattern than the one before."),
        cloup.option("--edge", is_flag=True, help="Put an edge between access link and core link."),
        cloup.option("--serve-edge", type=Text(), metavar="'CMD'", default="", help="Run this at the edge meanwhile."),
        cloup.option("--edge-proxy", type=click.Choice(names()), multiple=True, callback=_only_one,
                     help="Lead the clients' TCP connections through this proxy at the edge."),
        cloup.option("--edge-cc", "edge_congestion_control", type=Text(),
                     help="TCP congestion control of the edge, towards clients and server.  [default: as --cc]"),
        cloup.option("--core-rate", "core_rate_bps", type=Rate(),
                     help="Rate of the core link behind the edge, such as 1Gbit/s."),
        cloup.option("--core-loss", type=Number("", most=1), default=0.0, show_default=True,
                     help="Share of packets that the core link loses."),
        cloup.option("--access-delay-ms", "access_delay_s", type=_Milliseconds("ms", most=ms(LONGEST_DELAY_S)),
                     default=0.0, show_default=True, help="Part of --delay-ms that is before the edge."),
        *backend_options(),
    )  # fmt: skip
    return add(function)


def backend_options() -> Sequence[Decorator]:
    """Return the options of the backend."""
    return (
        cloup.option("--backend", type=click.Choice(["tun", "tc"]), default="tun", show_default=True,
                     help="The emulator in user space, or the kernel's queueing disciplines."),
        cloup.option("--tc-mode", type=click.Choice(["tbf", "netem-rate"]), default="tbf", show_default=True,
                     help="With --backend tc: tbf under netem, or netem alone as in earlier studies."),
    )  # fmt: skip


def warnings_of(setup: Setup, patterns: Sequence[str]) -> list[str]:
    """Return lines to print before a testbed is used.

    They tell how patterns were read, the cost of its mode, rates beyond it, what a container keeps closed, and whether
    a study runs meanwhile.
    """
    from mmwemu.probe import calibrate
    from mmwemu.study.lock import running_study
    from mmwemu.testbed.backends.tc.support import COSTS
    from mmwemu.testbed.requirements import settings_note

    read = [found for name in patterns for found in pattern_input.read_each(name)]
    found = [line for one in read for line in pattern_input.remarks(one)]
    if cost := COSTS.get(setup.tc_mode):
        found.append(f"tc-mode {setup.tc_mode}: {cost}")
    known = calibrate.remembered() if setup.backend == "tun" else None
    if known is not None and (problem := calibrate.warning([one.pattern for one in read], known)):
        found.append(problem)
    if note := settings_note():
        found.append(note)
    if (study := running_study()) is not None:
        found.append(f"note: a study runs on this computer ({study}), which this may disturb")
    return found


def warn_of_machine() -> None:
    """Warn of what this system keeps closed, which does not stop a run."""
    from mmwemu.testbed.requirements import settings_note

    if note := settings_note():
        warn(note)
