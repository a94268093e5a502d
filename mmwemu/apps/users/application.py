"""Application of users who fetch files and pause."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

from mmwemu.apps.application import Context, Go, Outcome, check_limit
from mmwemu.apps.shared.webserver.hosts import VirtualHost
from mmwemu.apps.users import user
from mmwemu.apps.users.record import UserRun
from mmwemu.core.bounds import LARGEST_SEED
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.core.progress import OnProgress, ignore
from mmwemu.core.text import digits
from mmwemu.link.settings import LinkSettings
from mmwemu.results.records import Run

if TYPE_CHECKING:
    import pandas as pd

_FILE = "users.bin"
_GRACE_S = 10.0
_LEAST_SHARE = 0.01  # of draws within the bounds
MOST_SIZE_BYTES = 10**12
COLUMNS = ("number", "size_bytes", "start_s", "end_s", "received_bytes", "finished", "rate_bps")
"""Of the table of downloads."""


@dataclass(frozen=True)
class Users:
    """Settings of all users; the defaults are those of Krasilov et al. 2019.

    Attributes
    ----------
    duration_s
        Length of a run, s.
    size_mean_bytes, size_sd_bytes, size_least_bytes, size_most_bytes
        Log-normal sizes: mean and standard deviation before the bounds, and the bounds.
    pause_mean_s, pause_least_s, pause_most_s
        Exponential pauses before each download: mean before the bounds, and the bounds, s.
    traffic_seeds
        Seeds of sizes and pauses, each a case; each user has draws of its own.
    """

    duration_s: float = 60.0
    size_mean_bytes: int = 30_000_000
    size_sd_bytes: int = 10_000_000
    size_least_bytes: int = 1_000_000
    size_most_bytes: int = 100_000_000
    pause_mean_s: float = 5.0
    pause_least_s: float = 1.0
    pause_most_s: float = 10.0
    traffic_seeds: tuple[int, ...] = (1,)

    name: ClassVar[str] = "users"
    record: ClassVar[type[Run]] = UserRun

    def __post_init__(self) -> None:
        check_limit(self.duration_s)
        if not 1 <= self.size_least_bytes <= self.size_most_bytes <= MOST_SIZE_BYTES:
            problem = (
                f"is {self.size_least_bytes} to {self.size_most_bytes} bytes; must rise from 1 to {MOST_SIZE_BYTES}"
            )
            raise InputError("size", problem)
        if not (1 <= self.size_mean_bytes <= MOST_SIZE_BYTES and 0 <= self.size_sd_bytes <= MOST_SIZE_BYTES):
            raise InputError("size", f"mean and standard deviation must be at most {MOST_SIZE_BYTES} bytes, the mean 1")
        if not 0 <= self.pause_least_s <= self.pause_most_s < math.inf or not 0 <= self.pause_mean_s < math.inf:
            raise InputError("pause", "must be 0 or more, and its bounds must rise")
        if not self.traffic_seeds or not all(0 <= seed <= LARGEST_SEED for seed in self.traffic_seeds):
            raise InputError("traffic-seed", f"must be from 0 to {LARGEST_SEED}, at least one")
        for what, share in (("size", self._share_of_sizes()), ("pause", self._share_of_pauses())):
            if share < _LEAST_SHARE:
                problem = f"has bounds that only {digits(100 * share)} % of what is drawn keep; at least 1 % are needed"
                raise InputError(what, problem)

    def _share_of_sizes(self) -> float:
        sigma = math.sqrt(math.log1p((self.size_sd_bytes / self.size_mean_bytes) ** 2))
        mu = math.log(self.size_mean_bytes) - sigma**2 / 2
        if sigma == 0:
            return float(self.size_least_bytes <= self.size_mean_bytes <= self.size_most_bytes)
        drawn = NormalDist(mu, sigma)
        # Sizes are rounded to whole bytes.
        low, high = math.log(self.size_least_bytes - 0.5), math.log(self.size_most_bytes + 0.5)
        return drawn.cdf(high) - drawn.cdf(low)

    def _share_of_pauses(self) -> float:
        if self.pause_mean_s == 0:
            return float(self.pause_least_s == 0)
        return math.exp(-self.pause_least_s / self.pause_mean_s) - math.exp(-self.pause_most_s / self.pause_mean_s)

    @property
    def cases(self) -> tuple[int, ...]:
        """The seeds."""
        return self.traffic_seeds

    def expected_s(self, case: int, settings: LinkSettings, clients: int) -> float:
        """Return the duration, s."""
        return self.duration_s

    def prepare(self, folder: Path, on_progress: OnProgress = ignore) -> PreparedUsers:
        """Need no tools; the file is made in the server's folder."""
        return PreparedUsers(self)


@dataclass(frozen=True)
class PreparedUsers:
    """Users ready to begin."""

    asked: Users

    @property
    def hosts(self) -> tuple[VirtualHost, ...]:
        """No virtual hosts of its own."""
        return ()

    def before(self, context: Context, case: int) -> None:
        """Make one file of the largest size, which takes no space."""
        assert context.webserver is not None
        path = context.webserver.content / _FILE
        try:
            with path.open("ab") as file:
                file.truncate(self.asked.size_most_bytes)
        except OSError as error:
            problem = f"making a file of {self.asked.size_most_bytes} bytes failed: {error.strerror}"
            raise MmwemuError(f"{path}: {problem}") from None

    def run(self, context: Context, case: int, number: int, go: Go) -> Outcome:
        """Let the context's client fetch and pause."""
        settings = {name: value for name, value in asdict(self.asked).items() if name != "traffic_seeds"}
        settings |= {"seed": case, "client": context.client.number, "server": context.server.address}
        argv = [sys.executable, "-I", "-S", user.__file__, json.dumps(settings | {"path": f"/{_FILE}"})]
        client = context.client.popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            assert client.stdout is not None
            client.stdout.readline()
            go()
            output, complaint = client.communicate(b"go\n", timeout=self.asked.duration_s + _GRACE_S)
        except subprocess.TimeoutExpired:
            client.kill()
            output, complaint = client.communicate()[0], b"the user did not end in time"
        except BaseException:
            client.kill()
            client.wait()
            raise
        return self._outcome(case, output, complaint.decode(errors="replace").strip().rpartition("\n")[2])

    def _outcome(self, case: int, output: bytes, complaint: str) -> Outcome:
        found: dict[str, Any] = json.loads(output) if output else {"downloads": [], "error": complaint or "ended"}
        downloads = table_of(found["downloads"])
        finished = downloads[downloads["finished"]]
        fetching_s = float((downloads["end_s"] - downloads["start_s"]).sum())
        received_bytes = int(downloads["received_bytes"].sum())
        columns = {
            "status": "failed" if found["error"] else "ok",
            "error": found["error"],
            "duration_s": self.asked.duration_s,
            "limit_s": self.asked.duration_s,
            "traffic_seed": case,
            "downloads": len(finished),
            "unfinished": len(downloads) - len(finished),
            "received_bytes": received_bytes,
            "fetching_s": fetching_s,
            "goodput_bps": received_bytes * 8 / fetching_s if fetching_s > 0 else None,
            "download_rate_mean_bps": float(finished["rate_bps"].mean()) if len(finished) else None,
        }
        return Outcome(columns, {"downloads": downloads})


def table_of(downloads: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the downloads of a user as a table, with the rate of the finished ones, bit/s."""
    import pandas as pd

    frame = pd.DataFrame(downloads, columns=[name for name in COLUMNS if name != "rate_bps"])
    frame = frame.astype(
        {"number": int, "size_bytes": int, "start_s": float, "end_s": float, "received_bytes": int, "finished": bool}
    )
    rates_bps = frame["size_bytes"] * 8 / (frame["end_s"] - frame["start_s"])
    return frame.assign(rate_bps=rates_bps.where(frame["finished"]))
