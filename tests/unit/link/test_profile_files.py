import pytest

from mmwemu.core.errors import InputError
from mmwemu.link import profile_files
from mmwemu.link.profile import LinkProfile

SHIPPED = ["hurtig2019", "lte-category-4", "zhang2016-10mb", "zhang2016-3mb"]


def test_those_of_the_papers_are_shipped():
    assert profile_files.names() == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_profile_loads_and_states_its_source(name):
    found = profile_files.load(name)
    assert found.name == name
    assert found.title and len(found.source) > 30
    assert found.profile != LinkProfile()


def test_the_values_are_those_of_the_papers():
    profiles = {name: profile_files.load(name).profile for name in SHIPPED}
    assert profiles["hurtig2019"] == LinkProfile(delay_s=0.011, queue_packets=1000)
    assert profiles["lte-category-4"] == LinkProfile(delay_s=0.011, queue_bytes=1_900_000)
    assert profiles["zhang2016-3mb"] == LinkProfile(delay_s=0.020, queue_bytes=3_000_000)
    assert profiles["zhang2016-10mb"] == LinkProfile(delay_s=0.020, queue_bytes=10_000_000)


def test_a_file_may_set_every_value(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'format = 1\ntitle = "Mine"\nsource = "Measured"\ndelay_s = 0\nqueue_s = 0.05\naqm = "codel"\necn = true\n'
        "slot_s = 0.000125\n"
    )
    found = profile_files.load(str(file))
    assert (found.name, found.title, found.source) == ("mine", "Mine", "Measured")
    assert found.profile == LinkProfile(delay_s=0.0, queue_s=0.05, aqm="codel", ecn=True, slot_s=0.000125)
    file.write_text('format = 1\nuplink_queue_packets = 9\nuplink_aqm = "pie"\n')
    assert profile_files.load(str(file)).profile == LinkProfile(uplink_queue_packets=9, uplink_aqm="pie")


@pytest.mark.parametrize("size", ["queue_bytes = 9000", "queue_packets = 9", "queue_s = 0.5", "queue_bdp = 1"])
def test_a_size_has_the_type_of_its_field(tmp_path, size):
    (tmp_path / "p.toml").write_text(f"format = 1\n{size}\n")
    name = size.partition(" ")[0]
    value = getattr(profile_files.load(str(tmp_path / "p.toml")).profile, name)
    assert type(value) is (int if name in ("queue_bytes", "queue_packets") else float)


def test_a_file_comes_before_a_shipped_profile_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hurtig2019").write_text("format = 1\ndelay_s = 0.5\n")
    assert profile_files.load("hurtig2019").profile.delay_s == 0.5


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("format = = 1", "p.toml: is not valid TOML: Invalid value (at line 1, column 10)"),
        ("delay_s = 0.1", "p.toml: format: is missing; it is required"),
        ("format = 2", "p.toml: format: is 2; this mmwemu reads up to 1: install a newer mmwemu"),
        ("format = 1\ndelay = 0.1", "p.toml: delay: is not a known key; did you mean delay_s?"),
        (
            "format = 1\nxyz = 1",
            "p.toml: xyz: is not a known key; known here: aqm, delay_s, ecn, format, milliproxy_buffer_bytes,"
            " milliproxy_delay_s, milliproxy_information_s, queue_bdp, queue_bytes, queue_packets, queue_s,"
            " slot_s, source, title, uplink_aqm, uplink_queue_bdp, uplink_queue_bytes, uplink_queue_packets,"
            " uplink_queue_s",
        ),
        ("format = 1\ndelay_s = '11 ms'", "p.toml: delay_s: is '11 ms'; must be a number"),
        ("format = 1\ndelay_s = nan", "p.toml: delay_s: is nan; must be a finite number"),
        ("format = 1\nqueue_bytes = 1.5", "p.toml: queue_bytes: is 1.5; must be a whole number"),
        ("format = 1\nqueue_packets = 2.5", "p.toml: queue_packets: is 2.5; must be a whole number"),
        ("format = 1\nqueue_bytes = -1", "p.toml: queue_bytes: is -1; must be at least 0"),
        ("format = 1\nqueue_s = true", "p.toml: queue_s: is True; must be a number"),
        ("format = 1\necn = 1", "p.toml: ecn: is 1; must be true or false"),
        ("format = 1\ntitle = 3", "p.toml: title: is 3; must be a string"),
        (
            "format = 1\naqm = 'red'",
            "p.toml: aqm: is 'red'; must be one of drop-tail, drop-head, codel, fq_codel, pie",
        ),
        ("format = 1\nqueue_bytes = 1000", "p.toml: queue_bytes: is 1000; a packet of 1500 bytes must fit"),
        (
            "format = 1\nqueue_s = 1.0\nqueue_bdp = 1.0",
            "p.toml: queue_bdp: cannot be given with queue_s; one size is enough",
        ),
        ("format = 1\necn = true", "p.toml: ecn: cannot be had with drop-tail; codel, fq_codel and pie mark packets"),
        ("format = 1\nslot_s = 2", "p.toml: slot_s: is 2; must be 0 or from 1 us to 1 s"),
    ],
)
def test_a_broken_file_is_one_line_with_file_and_key(tmp_path, monkeypatch, text, problem):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        profile_files.load("p.toml")
    assert str(caught.value) == problem


def test_what_is_no_file_and_not_shipped_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(InputError) as caught:
        profile_files.load("5g.toml")
    assert str(caught.value) == (
        f"link profile 5g.toml: is no file and no shipped profile; there are: {', '.join(SHIPPED)}"
    )
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        profile_files.load(str(tmp_path))
    (tmp_path / "b.toml").write_bytes(b"\xff\x00")
    with pytest.raises(InputError, match=r"b\.toml: is not a text file"):
        profile_files.load(str(tmp_path / "b.toml"))
