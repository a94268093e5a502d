"""Engine ns3-mmwave: its settings and refusals; with a build, named by MMWEMU_NS3_MMWAVE, the module itself."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pytest

from mmwemu.core import paths
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.core.progress import ignore
from mmwemu.scenario.model import Traffic
from mmwemu.simulate import registry
from mmwemu.simulate.ns3_mmwave import compiling, module, settings
from mmwemu.simulate.ns3_mmwave.engine import Ns3MmwaveEngine
from mmwemu.trace import measures

with_module = pytest.mark.skipif(
    not os.environ.get(module.VARIABLE), reason=f"{module.VARIABLE} names no build of ns3-mmwave"
)


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Give an empty build: the folders and names of one, for what is looked at before anything is compiled."""
    monkeypatch.delenv(module.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "root/build/include/ns3").mkdir(parents=True)
    (tmp_path / "root/build/include/ns3/mmwave-helper.h").write_text("#error of another version\n")
    (tmp_path / "root/build/lib").mkdir()
    for name in module.MODULES:
        (tmp_path / f"root/build/lib/libns3.38-{name}-optimized.so").write_bytes(b"")
    return tmp_path / "root"


def test_an_engine_is_chosen_by_name():
    assert registry.names()[:2] == ["mmwemu-cell", "ns3-mmwave"]
    assert registry.load("ns3-mmwave").rats == ("mmwave",)
    with pytest.raises(InputError, match="engine nosuch: is not registered; there are: mmwemu-cell, ns3-mmwave"):
        registry.load("nosuch")


def test_a_build_is_found_by_its_header_and_libraries(build, monkeypatch):
    found = module.find(build)
    assert (found.version, found.library("core").name) == ("3.38", "libns3.38-core-optimized.so")
    monkeypatch.setenv(module.VARIABLE, str(build / "build"))
    assert module.find(None) == found
    assert registry.load("ns3-mmwave").requirements()[0].found


def test_what_a_build_lacks_is_named(build, tmp_path):
    with pytest.raises(MissingError, match=f"no build of ns3-mmwave is named; set {module.VARIABLE}, or --ns3-root"):
        module.find(None)
    with pytest.raises(MissingError, match=r"has no include/ns3/mmwave-helper.h, below build or at its top; set"):
        module.find(tmp_path)
    (build / "build/lib/libns3.38-lte-optimized.so").unlink()
    with pytest.raises(MissingError, match=r"libns3.38-lte-optimized.so is missing; finish the build"):
        module.find(build)
    shutil.rmtree(build / "build/lib")
    with pytest.raises(MissingError, match=r"but no library lib\*-mmwave\*.so; finish its build"):
        module.find(build)


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_a_module_of_another_version_is_refused_by_the_compilers_first_error(build, scenario):
    with pytest.raises(MissingError, match=r"does not compile against ns3-mmwave of ns-3 3.38: .*error: ") as caught:
        Ns3MmwaveEngine(build).simulate(scenario, "mmwave", 1)
    assert caught.value.exit_code == 3
    assert list((paths.cache_folder() / "ns3-mmwave").iterdir()) == []


def test_another_build_gets_another_driver(build, monkeypatch):
    compiled = []

    def compile_driver(_, sources, program, on_progress):
        compiled.append([path.name for path in sources])
        program.write_text("program")

    monkeypatch.setattr(compiling, "_compile", compile_driver)
    first = compiling.driver(module.find(build), ignore)
    assert compiling.driver(module.find(build), ignore) == first
    assert compiled == [["channel.cpp", "main.cpp", "settings.cpp", "traffic.cpp"]]
    assert os.access(first, os.X_OK)
    (build / "build/lib/libns3.38-core-optimized.so").write_bytes(b"changed")
    assert compiling.driver(module.find(build), ignore) != first


def test_the_settings_have_the_states_of_the_direct_ray(scenario):
    lines = settings.settings_text(scenario, 5).splitlines()
    assert lines[0] == "seed 5"
    rays = [line.split()[1:] for line in lines if line.startswith("ray ")]
    assert [state[1:] for state in rays] == [["1", "0.0"], ["0", "0.0"], ["1", "0.0"]]
    assert float(rays[1][0]) == pytest.approx(1, abs=0.3)
    assert "numerology 3" in lines
    assert "waypoint 4.0 75.0 3.0 1.0" in lines


def test_the_loss_of_obstacles_is_part_of_the_state(outage):
    assert [state[2] for state in settings.ray_states(outage)] == [0.0, 60.0, 0.0]


def test_what_the_module_cannot_do_is_refused(scenario, monkeypatch):
    with pytest.raises(InputError, match=r"--rat: is lte; engine ns3-mmwave simulates mmwave alone"):
        Ns3MmwaveEngine().simulate(scenario, "lte", 1)
    with pytest.raises(InputError, match=r"traffic.payload_bytes: engine ns3-mmwave needs packets of at least 12"):
        settings.settings_text(replace(scenario, traffic=Traffic(payload_bytes=5)), 1)
    for kind in ("udp", "tcp"):
        with pytest.raises(
            InputError, match=f"^transport: is {kind}; engine ns3-mmwave has UDP of its own: --transport lite$"
        ):
            settings.settings_text(replace(scenario, traffic=Traffic(transport=kind)), 1)
    shadowed = replace(scenario, mmwave=replace(scenario.mmwave, shadowing=True))
    with pytest.raises(InputError, match="shadowing: engine ns3-mmwave has shadowing with umi"):
        settings.settings_text(shadowed, 1)
    monkeypatch.setattr(settings, "config_text", lambda *_: "seed 1\nteleport 3\n")
    with pytest.raises(InputError, match="scenario t: asks for teleport, which engine ns3-mmwave does not have"):
        settings.settings_text(scenario, 1)


@with_module
@pytest.mark.long
@pytest.mark.cell
def test_the_module_and_our_program_agree_in_level(scenario):
    """Simulates 2 s with a build of the module, which takes some 30 s."""
    short = replace(scenario, duration_s=2.0, mmwave=replace(scenario.mmwave, beam="svd", frame="numerology3"))
    short = replace(short, route=(short.route[0], replace(short.route[1], time_s=2.0)))
    theirs = Ns3MmwaveEngine().simulate(short, "mmwave", 1)
    ours = registry.load("mmwemu-cell").make(None).simulate(short, "mmwave", 1)
    found = measures.compare(ours, theirs)
    assert all(a is not None and b is not None and abs(a - b) <= 0.002 for a, b in found.los_changes_s)
    assert len(found.los_changes_s) == 2
    for state, within_db in (("los", 1.5), ("nlos", 6.0)):  # one draw of the channel each 100 ms, ten at most
        levels = [one.level(state, "sinr_db").p50 for one in (found.first, found.second)]
        assert abs(levels[0] - levels[1]) < within_db
    assert theirs.meta["engine"] == "ns3-mmwave"
    assert not np.isnan(theirs.throughput_bps).any()


@with_module
@pytest.mark.cell
def test_a_module_that_fails_is_one_line(scenario):
    bad = replace(scenario, mmwave=replace(scenario.mmwave, ue_array=(0, 0)), duration_s=0.1)
    with pytest.raises(MmwemuError, match=r"^driver (was ended by SIG|failed with exit code)"):
        Ns3MmwaveEngine().simulate(bad, "mmwave", 1)
