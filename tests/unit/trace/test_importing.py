"""Traces of files in the column orders that versions of ns3-mmwave write; all files here are made up."""

import gzip

import numpy as np
import pytest

from mmwemu.core.errors import InputError
from mmwemu.scenario.model import Box, Scenario, Waypoint
from mmwemu.trace.importing import files, rx_packets, table

# The header of each generation, and one row: direction, time, frame, subframe, slot, symbols, size, MCS, SINR, corrupt.
MODERN = (
    "DL/UL\ttime\tframe\tsubF\tslot\t1stSym\tsymbol#\tcellId\trnti\tccId\ttbSize\tmcs\trv\tSINR(dB)\tcorrupt\tTBler"
)
TIMED = "\ttime\tframe\tsubF\t1stSym\tsymbol#\tcellId\trnti\tccId\ttbSize\tmcs\trv\tSINR(dB)\tcorrupt\tTBler"
OLD = "\tframe\tsubF\t1stSym\tsymbol#\tcellId\trnti\ttbSize\tmcs\trv\tSINR(dB)\tcorrupt\tTBler"
STATS = "TYPE\tTIME\tCellId\tIMSI\tRNTI\tLCID\tSIZE\tDELAY\t"


def modern(
    way="DL", time="0.0001", frame=0, subframe=0, slot=0, symbols=12, rnti=1, size=1000, mcs=9, sinr="10", bad=0
):
    return "\t".join(
        map(str, (way, time, frame, subframe, slot, 1, symbols, 1, rnti, 0, size, mcs, 0, sinr, bad, 0.01))
    )


def timed(way="DL", time="0.0001", frame=0, subframe=0, symbols=22, size=1000, mcs=9, sinr="10", bad=0):
    blank = "\t \t" if way == "DL" else " \t"  # these versions wrote one tab more for the downlink
    start = "\t".join(map(str, (way, time, frame, subframe, 1, symbols, 1, 1, 0, size, mcs, 0, sinr)))
    return f"{start}{blank}{bad}\t0.01"


def old(way="DL", frame=0, subframe=0, symbols=22, size=1000, mcs=9, sinr="10", bad=0):
    blank = "\t \t" if way == "DL" else " \t"
    return "\t".join(map(str, (way, frame, subframe, 1, symbols, 1, 1, size, mcs, 0, sinr))) + f"{blank}{bad}\t0.01"


@pytest.fixture
def write(tmp_path):
    def make(*lines, name="RxPacketTrace.txt", end="\n"):
        path = tmp_path / name
        content = end.join([*lines, ""]).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return make


def load(*paths, **options):
    return files.load(files.Source(tuple(paths), **options))


def test_a_modern_file_gives_levels_of_both_directions(write):
    path = write(
        MODERN,
        modern(time="0.0002", slot=0, symbols=12, size=3000, mcs=9, sinr="20"),
        modern(time="0.0003", slot=1, symbols=6, size=1500, mcs=11, sinr="10"),
        modern("UL", time="0.0005", slot=3, symbols=1, size=100, sinr="7"),
        modern(time="0.0014", subframe=1, slot=0, symbols=12, size=3000, bad=1, sinr="-inf"),
        modern(time="0.0021", subframe=2, slot=3, symbols=12, size=3000),
    )
    trace = load(path)
    assert list(trace.time_s) == [0, 0.001, 0.002]
    assert trace.sinr_db[0] == pytest.approx(10 * np.log10((100 + 10) / 2))
    assert np.isnan(trace.sinr_db[1])
    assert list(trace.mcs) == [11, 9, 9]
    # 12 symbols of a slot of 250 us carry 3000 bytes, wherever they were used.
    assert trace.phy_rate_bps == pytest.approx([96e6, 0, 96e6])
    payload = 1400 / 1428
    assert trace.throughput_bps == pytest.approx([36e6 * payload, 0, 24e6 * payload])
    assert trace.optional["uplink_throughput_bps"][0] == pytest.approx(0.8e6 * payload)
    assert trace.optional["uplink_phy_rate_bps"][0] == pytest.approx(100 * 8 * 12 / 250e-6)
    assert np.isnan(trace.optional["uplink_phy_rate_bps"][1])
    assert np.isnan(trace.los).all()
    assert trace.meta == {"rat": "mmwave", "payload_bytes": 1400, "header_bytes": 28, "engine": "ns3-mmwave"}


@pytest.mark.parametrize("name", ["RxPacketTrace.txt", "RxPacketTrace.txt.gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_versions_with_slots_of_100_us_give_the_same_trace(write, name, end):
    """One with a time, in any order of rows, and one without, whose header has no name for the first column."""
    by_time = [
        timed(time="0.0013", frame=1, subframe=3, size=2000, sinr="5"),
        timed("UL", time="0.0002", subframe=2, symbols=2, size=50),
        timed(time="0.0001", subframe=1, size=2000),
    ]
    by_frame = [
        old(subframe=1, size=2000),
        old("UL", subframe=2, symbols=2, size=50),
        old(frame=1, subframe=3, size=2000, sinr="5"),
    ]
    first = load(write(TIMED, *by_time, name=name, end=end))
    second = load(write(OLD, *by_frame, name=f"old.{name}", end=end))
    for column, values in first.columns().items():
        assert np.array_equal(values, second.columns()[column], equal_nan=True), column
    assert first.phy_rate_bps == pytest.approx([160e6, 160e6])
    assert list(first.sinr_db.round(9)) == [10, 5]


def test_files_of_one_simulation_are_joined(write):
    one = write(MODERN, modern(time="0.0001"), name="a.txt")
    two = write(MODERN, modern(time="0.0011", subframe=1), name="b.txt")
    assert len(load(two, one).time_s) == 2
    with pytest.raises(InputError, match="slots of different length"):
        load(one, write(MODERN, modern(slot=7), name="c.txt"))


def test_one_ue_of_several_is_chosen(write):
    path = write(MODERN, modern(rnti=1, size=1000), modern(rnti=2, time="0.0012", subframe=1, symbols=4, size=2000))
    with pytest.raises(InputError, match=r"has 2 UEs, RNTI 1 in cell 1, 2 in cell 1; choose one by --rnti"):
        load(path)
    trace = load(path, rnti=2)
    assert list(trace.throughput_bps > 0) == [False, True]
    # Its rate if it had all 12 symbols that slots have, as the other UE's block shows.
    assert trace.phy_rate_bps[1] == pytest.approx(2000 * 8 * 3 / 250e-6)
    with pytest.raises(InputError, match="has no UE with RNTI 7"):
        load(path, rnti=7)


def test_deliveries_give_throughput_payload_and_delay(write):
    path = write(MODERN, modern(), modern(time="0.0019", subframe=1))
    stats = write(
        STATS,
        "Tx\t0.0001\t1\t1\t1\t4\t1430\t0\t",
        "Rx\t0.0015\t1\t1\t1\t4\t1430\t1400000\t",
        "Rx\t0.0016\t1\t1\t1\t4\t1430\t1600000\t",
        "Rx\t0.0016\t1\t2\t2\t4\t1430\t1600000\t",
        name="DlPdcpStats.txt",
    )
    trace = load(path, deliveries=stats, payload_bytes=7)
    assert list(trace.throughput_bps) == [0, 2 * 1400 * 8 / 0.001]
    assert trace.optional["ran_delay_s"][1] == pytest.approx(0.0015)
    assert trace.meta["payload_bytes"] == 1400
    assert np.isnan(trace.delay_s).all()
    up = load(path, uplink_deliveries=stats)
    assert list(up.optional["uplink_throughput_bps"]) == [0, 2 * 1400 * 8 / 0.001]
    with pytest.raises(InputError, match=r"deliveries: have a packet of 1430 bytes; headers alone are"):
        load(path, deliveries=stats, header_bytes=1429)
    with pytest.raises(InputError, match="has no row of type Rx with RNTI 1"):
        load(path, deliveries=write(STATS, "Tx\t0.1\t1\t1\t1\t4\t1430\t0\t", name="tx.txt"))


def test_a_scenario_adds_line_of_sight_and_the_core(write):
    scenario = Scenario(
        "t", 0.004, (0.0, 0.0, 3.0), (Waypoint(0.0, (75.0, -3.0, 1.0)), Waypoint(0.004, (75.0, 3.0, 1.0))),
        (Box((50.0, 56.0), (0.0, 9.0), (0.0, 15.0)),),
    )  # fmt: skip
    path = write(MODERN, modern(), modern(time="0.0039", subframe=3))
    stats = write(STATS, "Rx\t0.0015\t1\t1\t1\t4\t1430\t1000000\t", name="DlPdcpStats.txt")
    trace = files.load(files.Source((path,), stats), scenario)
    assert list(trace.los) == [1, 1, 1, 0]
    assert trace.delay_s[1] == pytest.approx(0.001 + scenario.core.delay_s)
    assert trace.meta["scenario"] == "t"


def test_a_time_of_six_digits_counts_for_the_bin_that_it_begins(write):
    trace = load(write(MODERN, modern(time="0.001"), modern(time="0.003", subframe=3)))
    assert list(~np.isnan(trace.mcs)) == [False, True, False, True]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ((), "RxPacketTrace.txt: has no column dl/ul in its header; needed are dl/ul, frame, subf"),
        ((MODERN,), "RxPacketTrace.txt: has no rows; nothing was received"),
        ((MODERN.replace("SINR(dB)", "SNR"), modern()), "RxPacketTrace.txt: has no column sinr(db) in its header"),
        ((MODERN.replace("rv", "mcs"), modern()), "RxPacketTrace.txt: has two columns mcs"),
        ((MODERN, modern(), "DL\t0.1\t2"), "RxPacketTrace.txt: line 3: has 3 values, the header 16 names"),
        ((MODERN, modern() + "\t1"), "RxPacketTrace.txt: line 2: has 17 values, the header 16 names"),
        ((MODERN, modern(sinr="x")), "RxPacketTrace.txt: line 2: has 'x' where a number is due"),
        ((MODERN, modern(size="1_000")), "RxPacketTrace.txt: line 2: has an underscore in a value"),
        ((MODERN, modern(way="XL")), "RxPacketTrace.txt: DL/UL: is 'XL'; must be DL or UL"),
        ((MODERN, modern(size="-5")), "RxPacketTrace.txt: tbsize: is -5 in row 1; must be from 0 to"),
        ((MODERN, modern(size="nan")), "RxPacketTrace.txt: tbsize: is nan in row 1; must be from 0 to"),
        ((MODERN, modern(time="1e9")), "RxPacketTrace.txt: time: is 1e+09 in row 1; must be from 0 to"),
        ((MODERN, modern(sinr="1e9")), r"RxPacketTrace.txt: sinr(db): is 1e+09 in row 1; must be from -1000 to 1000"),
        ((MODERN, modern(bad=2)), "RxPacketTrace.txt: corrupt: is 2 in row 1; must be from 0 to 1"),
        ((MODERN, "x" * 20_000), "RxPacketTrace.txt: line 2: is longer than 10000 characters"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(write, tmp_path, lines, problem):
    with pytest.raises(InputError) as caught:
        load(write(*lines))
    assert str(caught.value).startswith(f"{tmp_path}/{problem}")


def test_files_that_are_cut_off_or_no_text_are_refused(write, tmp_path):
    packed = write(MODERN, *[modern(time=f"{i / 1000}", size=i) for i in range(500)], name="p.gz")
    packed.write_bytes(packed.read_bytes()[:-200])
    with pytest.raises(InputError, match=r"p\.gz: is cut off or no gzip file"):
        load(packed)
    plain = tmp_path / "cut.txt"
    plain.write_text(f"{MODERN}\n{modern()}\nDL\t0.0")
    with pytest.raises(InputError, match=r"line 3: has 2 values, the header 16 names; the file is cut off there"):
        load(plain)
    plain.write_bytes(b"\x00\xff\xfe")
    with pytest.raises(InputError, match="is not a text file"):
        load(plain)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load(tmp_path / "none")


def test_too_long_or_short_a_trace_is_refused(write):
    with pytest.raises(InputError, match=r"trace: would have 1 rows of 1 ms; must have from 2"):
        load(write(MODERN, modern()))
    path = write(MODERN, modern(time="20000", frame=1))
    with pytest.raises(InputError, match=r"trace: would have 20000001 rows of 1 ms"):
        load(path)
    assert len(load(path, duration_s=0.01).time_s) == 10


def test_the_first_column_has_a_name_or_a_blank_in_its_place(write):
    form = table.Form(words=("way",), numbers=("a",), unnamed="way")
    assert table.read(write("\ta", "DL\t1"), form).words["way"] == ["DL"]
    with pytest.raises(InputError, match="has no column way"):
        table.read(write("a", "DL\t1"), form)


def test_blocks_can_be_chosen(write):
    packets = rx_packets.load([write(MODERN, modern(), modern("UL"))])
    assert packets.of(packets.is_downlink).size_bytes.tolist() == [1000]
