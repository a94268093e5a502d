"""What `mmwemu pattern check` accepts, a link replays: one function reads it for both, and the emulator agrees."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmwemu.core.errors import InputError
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from tests.fuzz.good import PATTERN
from tests.testbeds import replaying

pytestmark = pytest.mark.link

# Values at and near all bounds, in a column that has it.
VALUES = st.sampled_from(
    [
        "0",
        "1",
        "1e-6",
        "9.999e-7",
        "1e-9",
        "0.5",
        "3600",
        "3600.1",
        "1e12",
        "1.001e12",
        "inf",
        "nan",
        "-0.0",
        "5e-324",
        "2592000",
        "2592001",
        "1e300",
    ]
)


@pytest.fixture(scope="module")
def testbed(needs_link):
    with replaying(LinkSettings(constant(1e6, 1.0))) as found:
        yield found


@given(st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_link_replays_whatever_is_a_pattern(testbed, data):
    head, _, table = PATTERN.rpartition("uplink_loss\n")
    rows = [row.split(",") for row in table.split()]
    for _ in range(data.draw(st.integers(1, 3))):
        rows[data.draw(st.integers(0, 2))][data.draw(st.integers(0, 4))] = data.draw(VALUES)
    text = head.replace("duration_s = 0.3", f"duration_s = {data.draw(VALUES)}") + "uplink_loss\n"
    text += "\n".join(map(",".join, rows))
    try:
        pattern = native.loads(text, "p.csv")
    except InputError:
        return
    testbed.start(LinkSettings(pattern, start="now", start_at_s=data.draw(st.sampled_from([0.0, 1.0, 2_592_000.0]))))


def test_the_emulator_refuses_shorter_steps_by_itself(testbed, monkeypatch):
    monkeypatch.setattr("mmwemu.pattern.model.SHORTEST_STEP_S", 0.0)
    pattern = constant(1.0, 1e-9)
    with pytest.raises(Exception, match="lasts 1 ns; must last at least 1000"):
        testbed.start(LinkSettings(pattern, start="now"))
