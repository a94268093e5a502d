import time

import pytest

from mmwemu.study.together import play


def test_actions_go_at_their_offsets_after_the_slowest_was_ready():
    went = {}

    def act(name, ready_s):
        def run(go):
            time.sleep(ready_s)
            go()
            went[name] = time.monotonic()
            return name

        return run

    begun = time.monotonic()
    played = play([act("slow", 0.3), act("late", 0.0), act("quick", 0.0)], [0.0, 0.2, 0.0])
    assert [one.result for one in played] == ["slow", "late", "quick"]
    assert [one.begin_s for one in played] == pytest.approx([went[one.result] for one in played], abs=0.05)
    assert went["slow"] - begun >= 0.3
    assert went["quick"] - went["slow"] == pytest.approx(0.0, abs=0.1)
    assert went["late"] - went["slow"] == pytest.approx(0.2, abs=0.1)


def test_an_action_that_ends_before_it_was_ready_keeps_nobody_waiting():
    def broken(go):
        raise ValueError("no server")

    begun = time.monotonic()
    with pytest.raises(ValueError, match="no server"):
        play([broken, lambda go: go()], [0.0, 0.0])
    assert time.monotonic() - begun < 5


def test_a_single_action_starts_at_once():
    begun = time.monotonic()
    (played,) = play([lambda go: go() or 5], [0.0])
    assert played.result == 5
    assert played.begin_s == pytest.approx(begun, abs=0.1)


def test_an_action_that_never_asks_began_when_it_was_started():
    begun = time.monotonic()
    (played,) = play([lambda go: time.sleep(0.2)], [0.0])
    assert played.begin_s == pytest.approx(begun, abs=0.1)
