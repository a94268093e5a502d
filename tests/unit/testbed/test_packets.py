import pyarrow.parquet as pq
import pytest

from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.link.settings import LinkSettings
from mmwemu.testbed.packets import check_files, keeping_packets
from mmwemu.testbed.setup import Setup
from mmwemu.testbed.topology import CORE, CoreLink, Topology
from tests.fakes import fake_link, fake_testbed
from tests.packet_records import RECORDS, fill
from tests.patterns import make_pattern
from tests.unit.link.pcapng_reader import read_pcapng

SETTINGS = LinkSettings(make_pattern([1e6]))


def test_other_forms_and_folders_that_are_not_there_are_refused(tmp_path):
    check_files([tmp_path / "p.parquet", tmp_path / "p.pcapng"])
    for path, problem in (
        (tmp_path / "p.csv", "must end in .parquet or .pcapng"),
        (tmp_path / "no" / "p.parquet", "cannot be written: its folder does not exist"),
    ):
        for refuse in (check_files, lambda files: keeping_packets(fake_testbed(), files).__enter__()):
            with pytest.raises(InputError) as caught:
                refuse([path])
            assert str(caught.value) == f"{path}: {problem}"


def test_a_backend_that_cannot_record_packets_is_refused(tmp_path):
    with pytest.raises(InputError, match="backend tc: cannot provide packets; use --backend tun"):
        with keeping_packets(fake_testbed(Setup(backend="tc")), [tmp_path / "p.parquet"]):
            pass


def test_without_files_nothing_is_kept():
    testbed = fake_testbed(Setup(backend="tc"))
    with keeping_packets(testbed, []) as logs:
        assert logs == {}
    assert fake_link(testbed).finished == 0


@pytest.mark.parametrize(
    ("suffixes", "setup"),
    [
        ([".parquet"], Setup()),
        ([".parquet", ".pcapng"], Setup()),
        ([".parquet"], Setup(Topology(2))),
        ([".parquet"], Setup(Topology(core=CoreLink()))),
    ],
)
def test_each_link_has_a_log_with_headers(tmp_path, suffixes, setup):
    testbed = fake_testbed(setup)
    with keeping_packets(testbed, [tmp_path / f"p{suffix}" for suffix in suffixes]) as logs:
        testbed.start(SETTINGS, packets=logs)
        assert set(logs) == set(testbed.links)
        assert {log.headers for log in logs.values()} == {True}
    assert [fake_link(testbed, number).packets for number in logs] == [[logs[number]] for number in logs]


def test_all_links_are_in_the_files(tmp_path):
    testbed = fake_testbed(Setup(Topology(2, shared=False, core=CoreLink())))
    with keeping_packets(testbed, [tmp_path / "p.parquet", tmp_path / "p.pcapng"]) as logs:
        testbed.start(SETTINGS, packets=logs)
        for log in logs.values():
            fill(log)
    table = pq.read_table(tmp_path / "p.parquet").to_pandas()
    assert table.groupby("link").size().to_dict() == {CORE: len(RECORDS), 1: len(RECORDS), 2: len(RECORDS)}
    capture = read_pcapng(tmp_path / "p.pcapng")
    assert capture.interfaces == [f"{way} {link}" for link in ("1", "2", "core") for way in ("downlink", "uplink")]
    times_ns = [packet.time_ns for packet in capture.packets]
    assert len(times_ns) == 3 * len(RECORDS) and times_ns == sorted(times_ns)


def test_what_came_before_an_error_is_written(tmp_path):
    testbed = fake_testbed()
    with pytest.raises(MmwemuError, match="the command broke"):
        with keeping_packets(testbed, [tmp_path / "p.parquet"]) as logs:
            testbed.start(SETTINGS, packets=logs)
            fill(logs[1])
            raise MmwemuError("the command broke")
    assert pq.read_table(tmp_path / "p.parquet").num_rows == len(RECORDS)
