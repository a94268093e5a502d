"""Program of the headless player: JSON request in, JSON result out; see docs/formats/stream-result.md."""

import json
import sys
import time
from pathlib import Path

from mmwemu.apps.stream.headless.player import Player, leave


def _machine_ticks() -> tuple[float, float]:
    """Return the busy and total ticks of all cores so far (proc(5), /proc/stat)."""
    ticks = [float(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def main() -> None:
    """Read a request, play the film and print the result."""
    request = json.loads(sys.stdin.readline())
    print("ready", flush=True)
    sys.stdin.readline()
    before = _machine_ticks()
    result = Player(request["url"], request["abr"]).play(float(request["duration_s"]))
    busy, every = (now - then for now, then in zip(_machine_ticks(), before, strict=True))
    cost = {"browser_cpu_s": time.process_time(), "machine_load": busy / every if every else None}
    text = json.dumps({"format": 1, **result, "cost": cost})
    if request.get("keep"):
        Path(request["keep"], "player.json").write_text(text)
    print(text, flush=True)
    leave()


if __name__ == "__main__":
    main()
