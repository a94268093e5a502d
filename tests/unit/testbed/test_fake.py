import subprocess
import sys

from mmwemu.link import settings as link
from mmwemu.link.check import check
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.fake import FakeTestbed


def test_it_is_a_testbed(make_pattern):
    testbed: link.Testbed = FakeTestbed()
    settings = LinkSettings(make_pattern([1e6]))
    testbed.start(settings)
    testbed.set_congestion_control("cubic")
    program = [sys.executable, "-c", "import os; print(os.environ['MMWEMU_SERVER'])"]
    inside = testbed.popen("client", program, stdout=subprocess.PIPE, text=True)
    assert inside.communicate()[0] == "127.0.0.1\n"
    frame = testbed.telemetry()
    assert len(frame) == 200
    assert check(frame).valid


def test_it_gives_the_telemetry_it_was_made_with(make_pattern):
    first = FakeTestbed()
    first.start(LinkSettings(make_pattern([1e6])))
    frame = first.telemetry()
    assert FakeTestbed(frame).telemetry() is frame
    assert first.started[0].pattern.downlink.rate_bps.tolist() == [1e6]
