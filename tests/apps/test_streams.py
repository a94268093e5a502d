"""Real streams: nginx, dash.js in a headless browser and the headless player over a real link."""

from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

from mmwemu.apps.stream.application import Streams
from mmwemu.apps.stream.film import make_film
from mmwemu.apps.stream.ladder import LADDERS
from mmwemu.apps.stream.source import find_ffmpeg, find_source
from mmwemu.core import process
from mmwemu.core.errors import InputError, MissingError
from mmwemu.pattern.convert import constant
from tests.apps import running

pytestmark = pytest.mark.apps
SCENARIOS = ("s1-long-nlos", "s2-crossings", "s3-people-and-trees", "s4-outage")
LTE = "s1-long-nlos.lte"


@pytest.fixture(autouse=True, scope="module")
def _needs_ffmpeg(needs_browser):
    try:
        find_ffmpeg()
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def _short_control(monkeypatch):
    # Its start-up is what is looked at.
    monkeypatch.setattr("mmwemu.apps.stream.application._CONTROL_S", 2.0)


def streams(tmp_path, pattern, plan=None, **asked):
    """Give the runs and their tables; the pattern is one, or what a user would call it."""
    patterns = {"p": pattern} if isinstance(pattern, str) else pattern
    runs = running.run(tmp_path, patterns, Streams(**asked), **(plan or {}))
    tables = {name: pd.read_parquet(tmp_path / "r" / f"{name}.parquet") for name in ("buffer", "segments", "stalls")}
    return runs, tables


def side_by_side(tmp_path, plays, plan=None):
    """Play several times at once, each over a link of its own; at most one browser, so that the computer keeps up."""
    folders = [tmp_path / str(i) for i in range(len(plays))]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(len(plays)) as pool:
        done = list(pool.map(lambda folder, play: streams(folder, play[0], plan, **play[1]), folders, plays))
    return [(runs[0], tables) for runs, tables in done]


@pytest.mark.long
def test_a_film_stalls_when_the_arithmetic_says(tmp_path):
    """The film needs time to fill its buffer and to empty it again, and some for the stall."""
    fall_s, end_s, rate_bps = 12.0, 32.0, 0.3e6
    pattern = running.steps([100e6, 5e6, rate_bps], [0.0, 1.5, fall_s], duration_s=600.0)
    # A queue of 50 kB is 1.3 s of the last rate: what was sent before the fall does not last.
    plan = {"queue_bytes": 50_000}
    plays = [(pattern, {"player": player, "limit_s": end_s}) for player in ("browser", "headless")]
    for run, tables in side_by_side(tmp_path, plays, plan):
        check_stall(run, tables, fall_s, end_s, rate_bps)


def loaded_ahead_s(tables, time_s):
    before = tables["buffer"][tables["buffer"]["time_s"] <= time_s].iloc[-1]
    return before["buffer_s"] - (time_s - before["time_s"])


def check_stall(run, tables, fall_s, end_s, rate_bps):
    assert (run.status, run.error) == ("ok", "")
    # 5 Mbit/s bear 4.14 Mbit/s and not 7.94; 0.3 Mbit/s bear nothing, and the lowest quality is asked for.
    video = tables["segments"][tables["segments"]["track"] == "video"]
    spans = ((0, 1.5), (fall_s - 4, fall_s), (fall_s, end_s))
    begun = [video[(video["requested_s"] >= a) & (video["requested_s"] < b)] for a, b in spans]
    assert begun[0]["quality"].max() == 4
    assert set(begun[1]["quality"]) <= {2, 3}
    assert begun[2]["quality"].iloc[-1] == 0
    assert run.switches_down >= 1

    # What is loaded at the fall plays on. Meanwhile come 0.3 Mbit/s, and a segment of the lowest quality takes
    # 2 s * 0.76 Mbit/s / 0.3 Mbit/s = 5.1 s: as many whole ones as fit in add 2 s each.
    # Rarely dash.js gives up the segment at the first fall, stays low and fills its buffer: no stall is due.
    buffer_s = loaded_ahead_s(tables, fall_s)
    assert 1 < buffer_s < 10
    lowest = LADDERS["1080p"].video[0].rate_bps + LADDERS["1080p"].audio_bps
    whole = int(buffer_s / (2 * lowest / rate_bps))
    predicted_s = fall_s + buffer_s + 2 * whole
    stalls = tables["stalls"][tables["stalls"]["cause"] == "network"]
    stall = stalls[stalls["start_s"] > fall_s].iloc[0]
    assert stall["start_s"] == pytest.approx(predicted_s, abs=2)
    # The buffer is empty there, and 20 s bring 20 * 0.3 / 0.76 = 8 s of film at most.
    assert run.buffer_min_s < 0.1
    assert run.stalls >= 1
    assert run.stall_s > end_s - predicted_s - 2 - (end_s - fall_s) * rate_bps / lowest


@pytest.mark.parametrize("limit_s", [16.0, pytest.param(40.0, marks=pytest.mark.long)])
def test_the_qualities_of_hurtig_2019_never_stall_over_shipped_patterns(tmp_path, limit_s):
    """The long form plays the patterns to their ends."""
    # The shipped LTE patterns differ in name only: one rate, which no scenario changes.
    headless = {"player": "headless", "limit_s": limit_s}
    plays = [(pattern, headless) for pattern in (*(f"{name}.mmwave" for name in SCENARIOS), LTE)]
    for run, tables in side_by_side(tmp_path, [("s3-people-and-trees.mmwave", {"limit_s": limit_s}), *plays]):
        check_best(run, tables)


def check_best(run, tables):
    assert (run.status, run.stalls) == ("ok", 0), run.pattern
    # After at most 4 s in a low quality, the highest throughout.
    assert run.bitrate_mean_bps > (1 - 4 / run.limit_s) * run.top_bps, run.pattern
    assert run.startup_s < 1.5
    assert run.switches_up <= 3 and run.switches_down == 0
    # Figure 7 of Hurtig 2019: what is played was received before, and no more than 30 s and a segment ahead.
    table = tables["buffer"]
    assert (table["played_bytes"] <= table["received_bytes"]).all()
    assert table["buffer_s"].max() < 33
    assert table["time_s"].diff().median() == pytest.approx(0.1, abs=0.02)


def test_8k_suffers_without_line_of_sight_and_over_lte(tmp_path):
    asked = {"player": "headless", "ladder": "8k", "limit_s": 14.0}
    (run, tables), (lte, _) = side_by_side(tmp_path, [("s2-crossings.mmwave", asked), (LTE, asked)])
    assert run.switches_down >= 1
    assert run.bitrate_mean_bps < 0.8 * run.top_bps
    assert tables["segments"]["rate_bps"].max() == 240e6
    # 75 Mbit/s: 68 Mbit/s of 4K are more than the 0.9 of it that the rules count on.
    assert lte.bitrate_mean_bps < 25e6


@pytest.mark.parametrize(("rate_bps", "limit_s"), [pytest.param(3e6, 18.0, marks=pytest.mark.long), (20e6, 10.0)])
def test_the_headless_player_does_as_the_browser_does(tmp_path, rate_bps, limit_s):
    plays = [(constant(rate_bps, 600), {"player": player, "limit_s": limit_s}) for player in ("browser", "headless")]
    (browser, seen), (headless, modelled) = side_by_side(tmp_path, plays)
    assert -1.0 < headless.startup_s - browser.startup_s < 0.3
    assert (headless.stalls, browser.stalls) == (0, 0)
    assert headless.bitrate_mean_bps == pytest.approx(browser.bitrate_mean_bps, rel=0.1)
    assert headless.buffer_mean_s == pytest.approx(browser.buffer_mean_s, rel=0.25, abs=1)
    videos = [loaded_video(tables) for tables in (seen, modelled)]
    # What was chosen first for each segment, before any was loaded again.
    first, ours = (video.drop_duplicates("number").set_index("number")["quality"] for video in videos)
    both = first.index.intersection(ours.index)
    assert len(both) >= 8
    assert (first[both] == ours[both]).mean() >= 0.8
    # Both load the first segment again when the quality goes up after it.
    again, also = ((video["number"] == 0).sum() for video in videos)
    assert again == also


def loaded_video(tables):
    segments = tables["segments"]
    return segments[(segments["track"] == "video") & (segments["outcome"] == "ok")]


def test_a_film_that_does_not_begin_is_a_timeout(tmp_path):
    pattern = running.steps([0.0, 50e6], [0.0, 20.0], outage="drop")
    plays = [(pattern, {"player": player, "limit_s": 3.0}) for player in ("headless", "browser")]
    for run, _ in side_by_side(tmp_path, plays):
        assert (run.status, run.error) == ("timeout", "the film did not begin")
        assert (run.startup_s, run.played_s, run.stalls, run.qoe_bps) == (None, 0, 0, None)
        assert run.duration_s == pytest.approx(3, abs=0.5)


def test_a_browser_that_is_killed_is_a_failed_run_and_the_rest_goes_on(tmp_path, monkeypatch):
    running.put_before_browser(tmp_path, monkeypatch, "[ $N = 2 ] && (sleep 3; kill -9 -$$) &")
    plan = {"repetitions": 2}
    (broken, played), tables = streams(tmp_path, constant(20e6, 60), plan, limit_s=5.0, keep=True)
    assert (broken.status, broken.error) == ("failed", "the browser ended during playback")
    assert (broken.startup_s, broken.received_bytes) == (None, None)
    assert played.status == "ok"
    assert played.frames > 60
    assert played.browser_cpu_s > 0
    assert 0 <= played.machine_load <= 1
    assert played.control_startup_s < 2
    assert set(tables["buffer"]["run"]) == {2}
    kept = tmp_path / "r" / "streams" / "00002"
    assert (kept / "player.png").stat().st_size > 50_000
    assert (kept / "player.json").stat().st_size > 10_000


def test_a_browser_that_hangs_is_a_failed_run_and_the_rest_goes_on(tmp_path, monkeypatch):
    running.put_before_browser(tmp_path, monkeypatch, "[ $N = 2 ] && (sleep 3; kill -STOP -$$) &")
    broken, played = streams(tmp_path, constant(20e6, 60), {"repetitions": 2}, limit_s=4.0)[0]
    assert (broken.status, broken.error) == ("failed", "the browser hung: no CPU time within 8 s")
    assert played.status == "ok"


def test_a_browser_that_does_not_start_is_a_failed_run_of_one_line(tmp_path, monkeypatch):
    running.put_before_browser(tmp_path, monkeypatch, "echo 'no display' >&2; exit 1")
    (run,), _ = streams(tmp_path, constant(20e6, 60), limit_s=2.0)
    assert run.status == "failed"
    assert "chromium-headless-shell did not start: " in run.error
    assert "\n" not in run.error


def test_a_film_of_one_s_own_is_encoded_within_4_per_cent_and_once(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    own = tmp_path / "my film.mkv"
    picture = "testsrc2=size=640x360:rate=30:duration=3"
    process.run([find_ffmpeg(), "-loglevel", "error", "-f", "lavfi", "-i", picture, str(own)])
    source = find_source(str(own))
    assert (source.name, source.has_audio) == ("my film.mkv", False)
    film = make_film(source, LADDERS["1080p"], 40.0)
    assert film.duration_s >= 75
    rates = [quality.rate_bps for quality in film.ladder.video] + [film.ladder.audio_bps]
    for number, rate_bps in enumerate(rates):
        sizes = [path.stat().st_size for path in film.folder.glob(f"{number}-*.m4s")]
        assert sum(sizes) * 8 / film.duration_s == pytest.approx(rate_bps, rel=0.04)
    made = film.folder.stat().st_mtime_ns
    assert make_film(source, LADDERS["1080p"], 40.0).folder.stat().st_mtime_ns == made
    assert [path.name for path in film.folder.parent.iterdir()] == [film.folder.name]


def test_what_is_no_film_is_refused_first(tmp_path):
    (tmp_path / "no.mp4").write_text("no film")
    with pytest.raises(InputError, match=r"no\.mp4: is not a film"):
        streams(tmp_path, constant(1e6, 1), film=str(tmp_path / "no.mp4"))
    with pytest.raises(InputError, match=r"film: is 'nowhere\.mp4'; must be bunny, synthetic or a file"):
        streams(tmp_path, constant(1e6, 1), film="nowhere.mp4")


def test_no_ffmpeg_is_said_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="ffmpeg is not installed; install it: sudo apt-get install ffmpeg"):
        streams(tmp_path, constant(1e6, 1), film="synthetic", player="headless")
