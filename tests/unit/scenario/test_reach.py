"""The ranges of the LTE path losses, in the reader and in the program."""

import subprocess
from dataclasses import replace

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from mmwemu.cli.scenario import command
from mmwemu.core import paths
from mmwemu.core.errors import InputError, MissingError
from mmwemu.core.temporary import temporary_folder
from mmwemu.scenario import reach, read
from mmwemu.scenario.model import Scenario, Waypoint
from mmwemu.simulate.config import config_text
from mmwemu.simulate.ns3 import Ns3Engine

TEXT = """format = 1
name = "far"
duration_s = 2.0
[base_station]
position_m = [0.0, 0.0, 10.0]
[[route]]
time_s = 0.0
position_m = [{near}, 0.0, 1.5]
[[route]]
time_s = 2.0
position_m = [{far}, 0.0, 1.5]
"""


def scenario(near_m, far_m, path_loss="uma", ue_m=1.5, base_m=10.0):
    plain = Scenario(
        name="far",
        duration_s=2.0,
        base_station_m=(0.0, 0.0, base_m),
        route=(Waypoint(0.0, (near_m, 0.0, ue_m)), Waypoint(2.0, (far_m, 0.0, ue_m))),
    )
    return replace(plain, lte=replace(plain.lte, path_loss=path_loss))


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ((50, 199), None),
        ((50, 5000), None),
        ((10, 50), None),
        ((50, 5001), '"uma" holds up to 5000 m, and the UE goes 5001 m away; the LTE cell reaches no farther'),
        ((9.9, 50), '"uma" holds from 10 m, and the UE comes as near as 9.9 m; move it away'),
        ((-50, 50), '"uma" holds from 10 m, and the UE comes as near as 0 m; move it away'),
        ((50, 60, "uma", 23.0), '"uma" holds for UEs up to 22.5 m above the ground, and this one gets to 23 m'),
        ((1, 199, "hybrid-buildings"), None),
        (
            (1, 600, "hybrid-buildings"),
            '"hybrid-buildings" holds up to 200 m, and the UE goes 600.06 m away; farther, take umi-street-canyon, uma',
        ),
    ],
)
def test_a_range_is_kept_all_along_the_route(args, problem):
    assert reach.lte_problem(scenario(*args)) == problem


def test_a_scenario_that_speaks_of_lte_is_refused_beyond_its_range():
    text = TEXT.format(near="100.0", far="600.0")
    assert read.parse(text, "far.toml").lte.path_loss == "hybrid-buildings"
    with pytest.raises(InputError, match=r'^far\.toml: radio\.lte\.path_loss: "hybrid-buildings" holds up to 200 m'):
        read.parse(text + "[radio.lte]\nresource_blocks = 50\n", "far.toml")
    assert read.parse(text + '[radio.lte]\npath_loss = "uma"\n', "far.toml").lte.path_loss == "uma"
    with pytest.raises(InputError, match="path_loss"):
        read.parse(text + '[radio.lte]\npath_loss = "okumura"\n', "far.toml")


def test_check_says_what_is_not_for_lte(tmp_path):
    file = tmp_path / "far.toml"
    file.write_text(TEXT.format(near="100.0", far="600.0"))
    done = CliRunner().invoke(command, ["check", str(file)])
    assert done.exit_code == 0
    assert 'ok (far, 2 s, 0 boxes); not for LTE: "hybrid-buildings" holds up to 200 m' in done.output


def test_the_engine_refuses_it_as_well():
    with pytest.raises(InputError, match=r"^scenario far: radio\.lte\.path_loss: .* holds up to 200 m"):
        Ns3Engine().simulate(scenario(50, 600, "hybrid-buildings"), "lte", 1)


metres = st.one_of(st.floats(-6000, 6000), st.sampled_from([-10.0, 0.0, 10.0, 199.9, 200.0, 200.1, 5000.0]))


@pytest.mark.cell
@settings(max_examples=40, deadline=None)
@given(
    metres,
    metres,
    st.sampled_from(["hybrid-buildings", "umi-street-canyon", "uma"]),
    st.sampled_from([1.5, 22.5, 22.6]),
)
def test_the_program_refuses_the_same(near_m, far_m, path_loss, ue_m):
    try:
        program = paths.program("mmwemu-cell")
    except MissingError as error:
        pytest.skip(str(error))
    found = scenario(near_m, far_m, path_loss, ue_m)
    with temporary_folder("reach") as folder:
        # A last line that is refused in any case keeps the program from simulating.
        text = config_text(found, "lte", 1) + "channel_in x\n"
        (folder / "cell.txt").write_text(text)
        argv = [str(program), "cell.txt", "trace.csv", "meta.json"]
        done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert ("lte_path_loss" in done.stderr) == (reach.lte_problem(found) is not None)
