import json
import math
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmwemu.apps.command import metrics
from mmwemu.apps.command.metrics import check, check_kinds, from_file, from_output
from mmwemu.apps.command.record import CommandRun
from mmwemu.core.errors import InputError
from mmwemu.link.profile import LinkProfile
from tests.records import common

names = st.from_regex(r"[a-z][a-z0-9_]{0,62}", fullmatch=True).filter(lambda name: name not in metrics._TAKEN)
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.text(),
    st.floats(allow_nan=False, allow_infinity=False),
)


@given(st.dictionaries(names, values), st.text())
def test_any_flat_object_with_good_names_comes_through(found, before):
    line = json.dumps(found)
    assert from_output(f"{before}\n{line}\n") == found
    assert from_output(f"  {line}  \n\n") == found
    run = CommandRun(**common(1, command="true", exit_code=0), metrics=found)
    assert run.row().items() >= found.items()


@given(st.dictionaries(names, values))
def test_a_file_comes_through_too(tmp_path_factory, found):
    path = tmp_path_factory.getbasetemp() / "metrics.json"
    path.write_text(json.dumps(found, indent=2))
    assert from_file(path) == found


@pytest.mark.parametrize(
    "output", ["", "\n\n", "done", '{"a": 1}\ndone', "{broken", '{"a": 1', "[1, 2]", "3", '"text"', "null", "{'a': 1}"]
)
def test_a_last_line_that_is_no_json_object_has_no_metrics(output):
    assert from_output(output) == {}


@given(st.text().filter(lambda text: not (text.rstrip().splitlines() or [""])[-1].lstrip().startswith("{")))
def test_any_other_output_has_no_metrics(output):
    assert from_output(output) == {}


NAME = "is no name of a metric; use small letters, digits and underscores, with the unit: page_load_s"
BAD = [
    ('{"Load": 1}', f"Load: {NAME}"),
    ('{"page load": 1}', f"page load: {NAME}"),
    ('{"1st_s": 1}', f"1st_s: {NAME}"),
    ('{"": 1}', f": {NAME}"),
    ('{"load_s\\n": 1}', f"load_s\n: {NAME}"),
    (json.dumps({"a" * 64: 1}), f"{'a' * 64}: {NAME}"),
    ('{"duration_s": 1}', "duration_s: is a column that every run has; choose another name"),
    ('{"delay_s": 1}', "delay_s: is a column that every run has; choose another name"),
    ('{"exit_code": 1}', "exit_code: is a column that every run has; choose another name"),
    ('{"a": [1]}', "a: is list; must be a number, text, true, false or null"),
    ('{"a": {"b": 1}}', "a: is dict; must be a number, text, true, false or null"),
    ('{"a": NaN}', "a: is nan; must be finite, or null"),
    ('{"a": -Infinity}', "a: is -inf; must be finite, or null"),
    ('{"a": 1e999}', "a: is inf; must be finite, or null"),
    ('{"ok_s": 1, "a": []}', "a: is list; must be a number, text, true, false or null"),
]


@pytest.mark.parametrize(("text", "problem"), BAD)
def test_what_cannot_be_a_column_is_refused_by_name(tmp_path, text, problem):
    with pytest.raises(InputError) as caught:
        from_output(f"first\n{text}\n")
    assert str(caught.value) == f"the last line of the output: {problem}"
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(InputError) as caught:
        from_file(tmp_path / "m.json")
    assert str(caught.value) == f"{tmp_path}/m.json: {problem}"


@pytest.mark.parametrize(
    "name", [field.name for kind in (CommandRun, LinkProfile) for field in fields(kind)] + ["cpu_bound"]
)
def test_no_column_that_means_something_can_be_taken(name):
    with pytest.raises(InputError, match=f"metrics: {name}: is a column that every run has; choose another name"):
        check({name: 1}, "metrics")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[1]", "is a JSON list; must be an object of names and values"),
        ("3", "is a JSON int; must be an object of names and values"),
        ("null", "is a JSON NoneType; must be an object of names and values"),
        ("", "is not valid JSON: Expecting value: line 1 column 1 (char 0)"),
        ('{"a": 1} {', "is not valid JSON: Extra data: line 1 column 10 (char 9)"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_a_file_that_is_no_object_is_refused(tmp_path, text, problem):
    path = tmp_path / "m.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError) as caught:
        from_file(path)
    assert str(caught.value) == f"{path}: {problem}"


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**400])
def test_a_whole_number_that_no_table_holds_is_refused(value):
    with pytest.raises(InputError, match="m: a: is a whole number beyond 64 bits; write it as a float"):
        check({"a": value}, "m")
    assert check({"a": 2**63 - 1, "b": math.pi}, "m") == {"a": 2**63 - 1, "b": math.pi}


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "m.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(InputError, match=r"m\.json: is not a text file"):
        from_file(tmp_path / "m.json")


def test_half_a_surrogate_pair_is_no_text():
    with pytest.raises(InputError, match="output: a: is a text with half a surrogate pair; must be Unicode"):
        from_output(r'{"a": "\ud800"}')


def test_what_is_nested_without_end_is_no_traceback(tmp_path):
    text = '{"a":' + "[" * 100_000
    assert from_output(text) == {}
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(InputError, match="is nested too deeply; tables and lists may be 50 within each other"):
        from_file(tmp_path / "m.json")


def test_a_metric_keeps_its_kind_from_run_to_run():
    known = {}
    check_kinds({"a": 1, "b": None, "c": "x", "d": True}, known)
    check_kinds({"a": 1.5, "b": "late", "c": None, "e": 1}, known)
    for found, problem in (
        ({"a": "x"}, "metric a: is text; it was a number in an earlier run"),
        ({"d": 1}, "metric d: is a number; it was true or false in an earlier run"),
        ({"c": False}, "metric c: is true or false; it was text in an earlier run"),
    ):
        with pytest.raises(InputError) as caught:
            check_kinds(found, known)
        assert str(caught.value) == problem
