"""Record of a page load."""

from __future__ import annotations

from dataclasses import dataclass

from mmwemu.results.records import Run


@dataclass(frozen=True, kw_only=True)
class WebRun(Run):
    """A page load with a cold cache; times are s since the navigation started, None if the point was not reached.

    Attributes
    ----------
    site, objects, site_bytes, protocol, device
        Settings of the load.
    connect_start_s and following
        As in `mmwemu.apps.web.result.Load`.
    control_on_load_s, control_speed_index_s
        The same values of the control load, over a link with the same delay and unlimited rate.
    control_age_s
        Time from the end of the control load to this load.
    """

    site: str
    objects: int
    site_bytes: int
    protocol: str
    device: str
    browser: str
    connect_start_s: float | None
    ttfb_s: float | None
    first_paint_s: float | None
    fcp_s: float | None
    lcp_s: float | None
    dom_interactive_s: float | None
    dom_content_loaded_s: float | None
    on_load_s: float | None
    cls: float | None
    tbt_s: float | None
    above_the_fold_s: float | None
    visual_85_s: float | None
    visual_95_s: float | None
    visual_99_s: float | None
    speed_index_s: float | None
    speed_index_check_s: float | None
    visual_note: str
    requests: int | None
    failed_requests: int | None
    body_bytes: int | None
    wire_bytes: int | None
    retransmissions: int | None
    syn_retransmissions: int | None
    connections: int | None
    connect_max_s: float | None
    protocols: str
    browser_cpu_s: float | None
    machine_load: float | None
    control_on_load_s: float | None
    control_speed_index_s: float | None
    control_age_s: float

    @property
    def headline(self) -> str:
        """The Speed Index."""
        return "" if self.speed_index_s is None else f"Speed Index {self.speed_index_s:.2f} s"
