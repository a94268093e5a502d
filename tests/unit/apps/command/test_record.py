from mmwemu.apps.command.record import CommandRun
from tests.records import common


def test_each_metric_is_a_column_and_the_first_is_the_headline():
    run = CommandRun(**common(1, command="true", exit_code=0), metrics={"load_s": 0.5, "page": "home"})
    row = run.row()
    assert (row["load_s"], row["page"], row["queue_bytes"]) == (0.5, "home", 1_500_000)
    assert "metrics" not in row and "link" not in row
    assert run.headline == "load_s 0.5"
    assert CommandRun(**common(1, command="true", exit_code=0), metrics={}).headline == ""
