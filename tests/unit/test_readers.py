"""Readers give what they read or an `MmwemuError` in one line, whatever a file holds; and soon."""

import io
import json
import os
import time
import warnings
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmwemu.apps.command import metrics
from mmwemu.apps.stream import result as stream_result
from mmwemu.apps.web import result as web_result
from mmwemu.apps.web.sites import recorded
from mmwemu.apps.web.sites.check import check
from mmwemu.apps.web.sites.put import put
from mmwemu.check import baseline
from mmwemu.core.errors import InputError, MmwemuError
from mmwemu.link import profile_files
from mmwemu.link.replay import decode, encode, resolve
from mmwemu.link.settings import LinkSettings
from mmwemu.pattern import convert, library, measures
from mmwemu.pattern.conversion.registry import METHODS
from mmwemu.pattern.formats import columns, native, registry
from mmwemu.rays import draw as rays_draw
from mmwemu.rays import eight_lines, placing, walk
from mmwemu.rays import fit as rays_fit
from mmwemu.rays import parquet as rays_parquet
from mmwemu.rays import summary as rays_summary
from mmwemu.results import collection, merge, query, store
from mmwemu.scenario import draw, geometry, read
from mmwemu.simulate.config import config_text, rays_text
from mmwemu.study import review
from mmwemu.trace import measures as trace_measures
from mmwemu.trace import parquet
from mmwemu.trace.importing import files as importing
from tests.fuzz import files, good, tables, tampering
from tests.fuzz.running import Case
from tests.unit.apps.web.test_result import GOOD as WEB_RESULT

EXAMPLES = int(os.environ.get("MMWEMU_EXAMPLES", "50"))
some = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("readers")


def read_or_refuse(reader, *arguments):
    """Return what a reader gives, None where it refuses; no other error, and no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return reader(*arguments)
        except MmwemuError as error:
            assert len(str(error)) < 2000
            return None


@given(tampering.tampered(good.PATTERN))
@some
def test_a_pattern_that_is_read_can_be_shown_written_and_replayed(content):
    with suppress(UnicodeDecodeError):
        pattern = read_or_refuse(native.loads, content.decode(), "p.csv")
        if pattern is not None:
            assert measures.summary(pattern)
            assert str(pattern.meta)
            again = native.loads(native.dumps(pattern), "p.csv")
            assert np.array_equal(again.time_s, pattern.time_s)
            decode(encode(resolve(LinkSettings(pattern))))


@given(tampering.tampered(good.COLUMNS_FILE), st.sampled_from(["s", "us"]), st.sampled_from(["bps", "Gbit/s"]))
@some
def test_a_table_of_columns_becomes_a_pattern_or_is_refused(folder, content, time_unit, rate_unit):
    file = folder / "columns \udcff\u2028.txt"
    file.write_bytes(content)
    pattern = read_or_refuse(columns.load, file, columns.ColumnsOptions(time_unit, rate_unit))
    if pattern is not None:
        native.loads(native.dumps(pattern), "p.csv")


@pytest.mark.parametrize("form", registry.registered().formats, ids=lambda form: form.name)
@given(st.data())
@settings(some, max_examples=max(10, EXAMPLES // 5))
def test_a_file_of_each_format_becomes_a_pattern_or_is_refused_and_goes_to_every_other(folder, form, data):
    file = folder / "in \udcff\u2028"
    file.write_bytes(data.draw(tampering.tampered(good.FORMATS[form.name])))
    values = {option.name: data.draw(st.sampled_from([option.default, *option.choices])) for option in form.options}
    if form.read:
        reading = read_or_refuse(form.read, file, values)
        if reading is not None:
            assert all("\n" not in line for line in reading.remarks)
            native.loads(native.dumps(reading.pattern), "p.csv")
            for other in registry.registered().formats:
                if other.write:
                    out = folder / f"out{other.endings[0]}"
                    read_or_refuse(other.write, reading.pattern, out, library.filled(other, {}))


@given(tampering.tampered(good.SCENARIO))
@some
def test_a_scenario_that_is_read_can_be_drawn_and_simulated(folder, content):
    with suppress(UnicodeDecodeError):
        scenario = read_or_refuse(read.parse, content.decode(), "s.toml")
        if scenario is not None:
            geometry.los_changes_s(scenario)
            config_text(scenario, "mmwave", 1).encode("ascii")
            if EXAMPLES > 100:  # takes 0.3 s
                read_or_refuse(draw.plot, scenario, folder / f"{scenario.name}.png")


@given(tables.baselines())
@some
def test_the_baseline_of_a_check_is_read_or_refused(folder, content):
    file = folder / "baseline.parquet"
    file.write_bytes(content)
    found = read_or_refuse(baseline.read, file)
    if found is not None:
        baseline.write(found, file)
        again = baseline.read(file)
        assert (again.head, again.values, again.repetitions) == (found.head, found.values, found.repetitions)


@given(tampering.tampered(good.PROFILE))
@some
def test_a_link_profile_is_read_or_refused(folder, content):
    file = folder / "profile.toml"
    file.write_bytes(content)
    read_or_refuse(profile_files.load, str(file))


@given(tables.rays(), st.data())
@some
def test_rays_that_are_read_can_be_shown_drawn_and_simulated(folder, content, data):
    file = folder / "rays.parquet"
    file.write_bytes(content)
    found = read_or_refuse(rays_parquet.load, file)
    if found is not None:
        assert rays_summary.of(found)
        read_or_refuse(rays_fit.check, found, read.parse(good.SCENARIO, "s.toml"), "r")
        rays_text(found).encode("ascii")
        if data.draw(st.integers(0, 19)) == 0:
            rays_draw.plot(found, folder / "rays.png")
        rays_parquet.save(found, file)
        assert np.array_equal(rays_parquet.load(file).delay_s, found.delay_s)


@given(tampering.tampered(good.EIGHT_LINES), st.sampled_from([None, 28e9]))
@some
def test_a_ray_file_of_the_public_module_becomes_rays_or_is_refused(folder, content, carrier_hz):
    file = folder / "rays.txt"
    file.write_bytes(content)
    points = read_or_refuse(eight_lines.load, file)
    if points is not None:
        read_or_refuse(placing.place, points, carrier_hz, 1.5, "rays.txt")


@given(tampering.tampered(good.ROUTE))
@some
def test_a_route_becomes_a_scenario_or_is_refused(folder, content):
    file = folder / "route.csv"
    file.write_bytes(content)
    found = read_or_refuse(walk.load, file, (0.0, 0.0, 10.0), 28e9)
    if found is not None:
        walk.save(found, folder / "route.toml")
        assert read.load(str(folder / "route.toml")) == found


@given(
    tables.traces(),
    st.tuples(
        st.sampled_from(list(METHODS)),
        st.sampled_from(["throughput_bps", "phy_rate_bps", None]),
        st.sampled_from(["same", "trace"]),
        st.sampled_from(["none", "ran"]),
        st.sampled_from(["none", "rlc"]),
    ),
)
@some
def test_a_trace_that_is_read_becomes_a_pattern_or_is_refused(folder, content, options):
    file = folder / "trace.parquet"
    file.write_bytes(content)
    trace = read_or_refuse(parquet.load, file)
    if trace is not None:
        pattern = read_or_refuse(convert.convert, trace, convert.Conversion(*options))
        if pattern is not None:
            native.loads(native.dumps(pattern), "p.csv")


@given(files.rx_packets(), tampering.tampered(good.DELIVERIES))
@some
def test_files_of_the_module_become_a_trace_or_are_refused(folder, packets, packed):
    (folder / "rx.txt").write_bytes(packets)
    (folder / "pdcp.txt").write_bytes(packed)
    for source in (
        importing.Source((folder / "rx.txt",)),
        importing.Source((folder / "rx.txt",), folder / "pdcp.txt", folder / "pdcp.txt", duration_s=0.02),
    ):
        trace = read_or_refuse(importing.load, source)
        if trace is not None:
            parquet.save(trace, folder / "imported.parquet")
            assert trace_measures.summary(parquet.load(folder / "imported.parquet")).levels


@given(files.folders(saved=False) | files.folders(saved=True))
@some
def test_a_site_that_is_checked_can_be_served_and_leads_nowhere_else(tmp_path_factory, made):
    root = tmp_path_factory.mktemp("site")
    Case([], made).make(root / "site")
    found = read_or_refuse(check, root / "site")
    if found is not None:
        hosts = put(found.site, root / "site", root / "copy")
        assert hosts
        secret = {path.name for path in (root / "copy").rglob("*") if path.is_symlink()}
        assert not secret
        sizes = sum(path.stat().st_size for path in (root / "copy").rglob("*") if path.is_file())
        assert sizes == found.site.size_bytes


ANSWER = {
    "method": "GET", "tls": False, "host": "a.test", "port": 80, "path": "/", "status": 200,
    "headers": [["content-type", "text/html"]], "body": "0.body",
}  # fmt: skip


@given(tables.results())
@some
def test_results_that_were_edited_are_summarized_asked_and_merged_or_refused(tmp_path_factory, made):
    folder = tmp_path_factory.mktemp("results")
    (folder / "kept").mkdir()
    (folder / "plots").mkdir()
    for name, content in made.items():
        (folder / "kept" / name).write_bytes(content)
    found = read_or_refuse(collection.open_folder, folder / "kept")
    if found:
        read_or_refuse(query.query, "select * from runs", [found])
        read_or_refuse(merge.merge, [found], folder / "merged", [])
        read_or_refuse(review.summarize, found, folder / "plots")
        read_or_refuse(store.load_table, found.path, "runs", 1)


@given(tampering.texts | st.just("http://a.test/"), st.lists(tampering.texts, max_size=2))
@some
def test_a_recording_becomes_a_site_that_can_be_checked_or_is_refused(tmp_path_factory, page, paths):
    root = tmp_path_factory.mktemp("recording")
    (root / "0.body").write_bytes(b"<p>")
    lines = [json.dumps(ANSWER | {"path": path}) for path in ["/", *paths]]
    (root / "answers").write_text("\n".join(lines))
    if read_or_refuse(recorded.make_site, root / "site", "", page, root) is not None:
        assert check(root / "site").site.index.kind == "html"


@given(tampering.json_files(WEB_RESULT), st.sampled_from([web_result.interpret, stream_result.interpret]))
@some
def test_an_answer_of_a_driver_is_read_or_refused(content, interpret):
    read_or_refuse(interpret, content.decode())


@given(tampering.json_files({"a": 1, "b_s": 1.5, "c": "x"}))
@some
def test_metrics_are_read_or_refused(folder, content):
    file = folder / "m.json"
    file.write_bytes(content)
    read_or_refuse(metrics.from_file, file)
    read_or_refuse(metrics.from_output, content.decode())


def as_page(text):
    return {"index.html": text.encode()}


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        *((check, as_page(piece * 50_000)) for piece in ("<", "<a ", "<!--", '<a b="', "<style>url(", "<p style='/*")),
        (check, {**as_page("<link rel=stylesheet href=s.css>"), "s.css": b"url(" * 50_000}),
        (check, {**as_page("<link rel=stylesheet href=s.css>"), "s.css": b"/*" * 50_000}),
        (check, as_page("<img src=" + "a/" * 3900 + ">" + "<img src='b'>" * 10_000)),
        (check, {**as_page("<img src=x.png>" * 20_000), **{f"{i}.png": b"" for i in range(500)}}),
    ],
)  # fmt: skip
def test_pages_take_time_in_proportion_to_their_length(tmp_path, kind, content):
    Case([], content).make(tmp_path / "site")
    begin_s = time.monotonic()
    kind(tmp_path / "site")
    assert time.monotonic() - begin_s < 10  # a hang takes minutes


@pytest.mark.parametrize("form", registry.registered().formats, ids=lambda form: form.name)
@pytest.mark.parametrize("text", ["\n" * 4000 + "x", " \n# \n" * 1000 + "x", "1s  " * 100 + "!", "1 " * 2000 + "x",
                                  "patt_gen " * 500, "1,0,1,0,0" * 500])  # fmt: skip
def test_text_of_no_format_is_told_from_each_soon(folder, form, text):
    begin_s = time.monotonic()
    form.looks_like(text)
    file = folder / "odd"
    file.write_text(text)
    read_or_refuse(form.read or form.looks_like, *([file, library.filled(form, {})] if form.read else [text]))
    assert time.monotonic() - begin_s < 10  # a hang takes hours


def test_a_quantity_of_many_blanks_is_refused_soon(folder):
    file = folder / "blanks.json"
    file.write_text(json.dumps({"StaticBwConfig": {"bw": "1bps  " * 40 + "!"}}))
    begin_s = time.monotonic()
    assert read_or_refuse(registry.load("rattan").read, file, library.filled(registry.load("rattan"), {})) is None
    assert time.monotonic() - begin_s < 10  # a hang takes hours


def test_a_route_of_many_points_is_drawn_soon(tmp_path):
    way = ((i / 1000, 20 + i % 20, i / 10) for i in range(20_000))
    points = "".join(f"[[route]]\ntime_s = {t}\nposition_m = [{x}, {y}, 1.5]\n" for t, x, y in way)
    text = good.SCENARIO.replace("duration_s = 0.05", "duration_s = 20.0")
    text = text[: text.index("[[route]]")] + points + text[text.index("[[boxes]]") :]
    begin_s = time.monotonic()
    draw.plot(read.parse(text, "s.toml"), tmp_path / "s.png")
    assert time.monotonic() - begin_s < 15  # it was above 30


def write_trace(file, **changes):
    cells = {name: [1.0, 1.0] for name in parquet.COLUMNS} | {"time_s": [0.0, 0.001]}
    table = pa.table(cells | changes).replace_schema_metadata({b"mmwemu": json.dumps(good.META)})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    file.write_bytes(sink.getvalue())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"throughput_bps": [1.0, -1.0]}, "trace: throughput_bps: is -1 in row 2; must be from 0 to 1e+12"),
        ({"phy_rate_bps": [float("inf"), 1.0]}, "trace: phy_rate_bps: is inf in row 1; must be from 0 to 1e+12"),
        ({"sinr_db": ["x", "y"]}, "trace: sinr_db: is a column of string; must be one of numbers"),
        ({"los": [[1.0], [1.0]]}, "trace: los: is a column of list<element: double>; must be one of numbers"),
    ],
)
def test_a_trace_names_the_column_and_row_that_cannot_be(tmp_path, changes, problem):
    write_trace(tmp_path / "t.parquet", **changes)
    with pytest.raises(InputError) as caught:
        parquet.load(tmp_path / "t.parquet")
    assert str(caught.value) == f"{tmp_path / 't.parquet'}: {problem}"


def test_a_name_with_a_path_is_refused_where_a_scenario_is_read():
    with pytest.raises(InputError, match=r"s.toml: name: is '/etc/x'; must be at most 64 letters"):
        read.parse(good.SCENARIO.replace('"short"', '"/etc/x"'), "s.toml")


@pytest.mark.parametrize("url", ["", "/index.html"])
def test_the_address_of_a_page_leads_to_it(tmp_path, url):
    """A saved page without an address of its own has that of its file."""
    site = {**good.SITE, "origin": "saved", "objects": [{**good.SITE["objects"][0], **({"url": url} if url else {})}]}
    Case([], {"index.html": good.PAGE.encode(), "site.json": json.dumps(site).encode()}).make(tmp_path)
    assert check(tmp_path).site.page_url == "/index.html"


def test_an_address_that_does_not_lead_to_the_page_is_refused(tmp_path):
    site = {**good.SITE, "objects": [{**good.SITE["objects"][0], "url": "/100%"}]}
    Case([], {"index.html": good.PAGE.encode(), "site.json": json.dumps(site).encode()}).make(tmp_path)
    with pytest.raises(InputError, match=r"the page's address /100% does not lead to index\.html; mend its url"):
        check(tmp_path)
