"""The rays verbs, as a user types them."""

import json
import shlex
import subprocess

import pytest

from mmwemu.rays import parquet, walk
from tests import rays as made
from tests.programs import MMWEMU


def mmwemu(text, folder):
    """Run a command line; return exit code, standard output and error."""
    done = subprocess.run([*MMWEMU, *shlex.split(text)], cwd=folder, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_an_import_gives_rays_and_a_picture_and_the_rays_a_scenario(tmp_path):
    (tmp_path / "street.txt").write_text(made.eight_lines(made.make(wall_x_m=90.0)))
    words = "rays import street.txt -o r.parquet --plot r.png"
    assert mmwemu(words, tmp_path) == (0, "r.parquet: 101 points, 10.0 m; 2 to 2 paths each\n", "")
    assert mmwemu("rays scenario r.parquet --speed-mps 25 -o fast.toml", tmp_path) == (0, "fast.toml\n", "")
    assert (tmp_path / "r.png").stat().st_size > 10_000
    code, out, _ = mmwemu("rays show r.parquet --json", tmp_path)
    found = json.loads(out)
    assert (code, found["points"], found["carrier_hz"], found["los_share"]) == (0, 101, 28e9, 1.0)
    assert found["source"] == "imported from street.txt"
    assert mmwemu("scenario check fast.toml", tmp_path)[1] == "fast.toml: ok (fast, 0.4 s, 0 boxes)\n"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("rays show walk.toml", 2, "walk.toml: is truncated or not a Parquet file; make it with mmwemu rays"),
        ("rays import walk.toml -o r.parquet", 2, "walk.toml: has 30 lines; must have 8 for each point"),
        ("rays trace --scene munich --route walk.toml --base-station 1,2,3 -o r.parquet", 2,
         "--base-station: is for routes in CSV; scenario walk.toml has its own"),
        ("rays trace --scene munich --route r.csv -o r.parquet", 2, "--base-station: is missing; r.csv is a route"),
        ("rays trace --scene munich --route r.csv --base-station 1,2 -o r.parquet", 2, "'1,2' is not three numbers"),
        ("rays trace --scene munich --route r.csv --base-station 1,2,nan -o r.parquet", 2, "is not three numbers"),
        ("rays trace --scene munich --route walk.toml -o r.parquet --scenario-out s.toml", 2,
         "--scenario-out: is for routes in CSV; walk.toml is a scenario"),
        ("simulate walk.toml --rat mmwave --rays none.parquet", 2, "none.parquet: does not exist"),
        ("simulate walk.toml --rat lte --rays rays.parquet", 2, "--rays: is for --rat mmwave"),
        ("simulate s1 --rat mmwave --rays rays.parquet", 2, "scenario s1-long-nlos: has boxes; with rays"),
        ("simulate other.toml --rat mmwave --rays rays.parquet", 2, "rays.parquet: ends after 10 m, the route of"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(tmp_path, words, code, message):
    walk.save(made.walk(), tmp_path / "walk.toml")
    walk.save(made.walk(end_m=(60.0, 8.0, 1.5)), tmp_path / "other.toml")
    parquet.save(made.make(), tmp_path / "rays.parquet")
    before = sorted(tmp_path.iterdir())
    ended, out, err = mmwemu(words, tmp_path)
    assert (ended, out) == (code, "")
    assert message in err
    assert len(err.splitlines()) == 1 or err.startswith("Usage")
    assert sorted(tmp_path.iterdir()) == before
