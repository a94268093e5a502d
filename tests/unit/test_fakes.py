import subprocess
import sys

from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.topology import CORE, CoreLink, Topology
from tests.fakes import fake_link, fake_testbed
from tests.patterns import make_pattern

PRINT = [sys.executable, "-c", "import os; print(os.environ['MMWEMU_SERVER'], os.environ['MMWEMU_NUMBER'])"]


def output(place):
    return place.popen(PRINT, stdout=subprocess.PIPE, text=True).communicate()[0].split()


def test_it_is_a_testbed():
    named = []
    testbed = fake_testbed(set_congestion_control=named.append)
    testbed.start(LinkSettings(make_pattern([1e6])))
    testbed.set_congestion_control("cubic")
    assert named == ["cubic"]
    assert output(testbed.client) == ["127.0.0.1", "1"]
    assert output(testbed.server) == ["127.0.0.1"]
    telemetry = testbed.telemetry()
    assert len(telemetry) == 200
    assert testbed.check(telemetry).valid
    assert fake_link(testbed).started[0].pattern.downlink.rate_bps.tolist() == [1e6]


def test_it_gives_the_telemetry_it_was_made_with():
    first = fake_testbed()
    first.start(LinkSettings(make_pattern([1e6])))
    frame = first.links[1].telemetry()
    assert fake_testbed(frame=frame).links[1].telemetry() is frame


def test_it_has_the_places_and_links_that_were_asked_for():
    testbed = fake_testbed(Setup(Topology(2, shared=False, core=CoreLink(1e9))))
    assert [place.name for place in testbed.places] == ["client 1", "client 2", "edge", "server"]
    assert len({place.address for place in testbed.places}) == 4
    testbed.start(LinkSettings(make_pattern([1e6]), delay_s=0.03))
    assert {number: fake_link(testbed, number).core_delay_s for number in testbed.links} == {1: 0, 2: 0, CORE: 0.03}
