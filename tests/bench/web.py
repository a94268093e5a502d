"""What a page load costs beyond the page's own time (target: 3 s); then 100 loads in a row, as a test watches them."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mmwemu.apps.shared.browser.modules import find_tools
from mmwemu.apps.shared.webserver.hosts import VirtualHost
from mmwemu.apps.shared.webserver.server import serve
from mmwemu.apps.web.client import Visit, load, open_browser
from mmwemu.apps.web.sites.make import make_site
from mmwemu.apps.web.sites.model import PRESETS
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.testbed.testbed import open_testbed

LOADS = 100
MANY = Path(__file__).parents[1] / "apps" / "test_many_loads.py"

print("site         page s   wall s   beyond s   browser CPU s   machine load", flush=True)
for name, spec in PRESETS.items():
    settings = LinkSettings(constant(50e6, 60.0))
    with tempfile.TemporaryDirectory() as folder:
        site = make_site(spec, Path(folder) / name)
        with (
            open_testbed() as testbed,
            serve(testbed.server, [VirtualHost(site.hosts, Path(folder) / name)]) as server,
        ):
            assert server.certificates is not None
            visit = Visit(site, server.certificates.public_key_sha256)
            browser = open_browser(find_tools(), testbed.client.popen, testbed.server.address)
            for _ in range(3):
                testbed.start(settings)
                begun_s = time.monotonic()
                outcome = load(browser, visit)
                wall_s = time.monotonic() - begun_s
                print(f"{name:<12} {outcome.duration_s:6.2f} {wall_s:8.2f} {wall_s - outcome.duration_s:10.2f}"
                      f" {outcome.browser_cpu_s:15.2f} {outcome.machine_load:14.2f}", flush=True)  # fmt: skip

loads = sys.argv[1] if len(sys.argv) > 1 else str(LOADS)
if loads != "0":
    print(f"\n{loads} loads in a row", flush=True)
    environment = os.environ | {"MMWEMU_LOADS": loads}
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-s", "-m", "long", str(MANY)], env=environment, check=True)
