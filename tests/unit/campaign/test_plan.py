import click
import pytest

from mmwemu.apps.option_types import Rats, Seeds
from mmwemu.campaign import plan
from mmwemu.core.errors import InputError


def test_a_wild_name_stands_for_all_scenarios_that_it_fits():
    names = [scenario.name for scenario in plan.find_scenarios(["s[12]-*", "s4"])]
    assert names == ["s1-long-nlos", "s2-crossings", "s4-outage"]
    with pytest.raises(InputError, match=r"x\*: fits no shipped scenario; there are: .*s0-line-of-sight, s1"):
        plan.find_scenarios(["x*"])
    with pytest.raises(InputError, match="scenario s1-long-nlos: is asked for twice"):
        plan.find_scenarios(["s1", "s1-*"])


def test_a_plan_has_each_scenario_rat_and_seed_once(tmp_path):
    scenarios = plan.find_scenarios(["s1", "s2"])
    found = plan.make_plan(scenarios, ("mmwave", "lte"), (1, 2, 3), "mmwemu-cell")
    assert len({one.name for one in found}) == len(found) == 12
    assert found[0].traces(tmp_path) == [tmp_path / "traces/s1-long-nlos.mmwave.seed-1.parquet"]
    with pytest.raises(InputError, match="campaign: has 100002 simulations; may have at most 100000"):
        plan.make_plan(scenarios[:1], ("mmwave",), range(100_002), "mmwemu-cell")


def test_a_simulation_of_several_ues_has_a_trace_of_each(tmp_path):
    disc = plan.find_scenarios(["krasilov2"])
    (one,) = plan.make_plan(disc, ("mmwave",), (3,), "mmwemu-cell")
    names = [path.name for path in one.traces(tmp_path)]
    assert names == [f"krasilov2-disc.mmwave.seed-3.ue{ue}.parquet" for ue in range(1, 11)]
    with pytest.raises(InputError, match=r"^scenario krasilov2-disc: ues: LTE has one UE; several need --rat mmwave$"):
        plan.make_plan(disc, ("mmwave", "lte"), (3,), "mmwemu-cell")


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("1-4", (1, 2, 3, 4)), ("7", (7,)), ("3,1-2,2", (1, 2, 3)), ("2147483647", (2**31 - 1,))],
)
def test_seeds_are_a_list_of_spans(text, seeds):
    assert Seeds().convert(text, None, None) == seeds


@pytest.mark.parametrize("text", ["", "0", "2-1", "1-", "a", "1,,2", "1-2-3", "2147483648", "1-200000", "-1", "1 2"])
def test_other_seeds_are_refused(text):
    with pytest.raises(click.BadParameter, match="is not a list such as 1-30 or 1,4,7-9 of seeds from 1 to"):
        Seeds().convert(text, None, None)


def test_rats_are_one_or_both():
    assert Rats().convert("lte,mmwave,lte", None, None) == ("lte", "mmwave")
    with pytest.raises(click.BadParameter, match="'wifi' is not one of mmwave, lte"):
        Rats().convert("wifi", None, None)
