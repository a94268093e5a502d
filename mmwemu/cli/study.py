"""mmwemu study."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mmwemu.apps.option_types import FilePath, Several, Text, Whole
from mmwemu.cli import study_file
from mmwemu.cli.link_options import warn_of_machine
from mmwemu.cli.output import duration, json_option, print_json, print_table, progress, say, warn
from mmwemu.core.errors import InputError, InvalidRunError, MmwemuError
from mmwemu.core.text import printable, read_text, shown

if TYPE_CHECKING:
    from mmwemu.study.state import StudyState
    from mmwemu.study.studies import Share, Study


_WHOLE = Whole(least=1, most=1_000_000)


class _Share(click.ParamType["Share"]):
    """A share such as 2/3."""

    name = "k/n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Share:
        """Return the share."""
        from mmwemu.study.studies import Share

        number, _, of = str(value).partition("/")
        try:
            return Share(_WHOLE.convert(number, None, None), _WHOLE.convert(of, None, None))
        except (InputError, click.BadParameter):
            self.fail(f"{shown(value)} is not a share such as 1/3, 2/3 or 3/3.", param, ctx)


@click.group("study")
def command() -> None:
    """Run many experiments as one study, which a file describes; docs/formats/study.md."""


@command.command("run")
@click.argument("study", type=FilePath(), metavar="FILE")
@click.option("-o", "--output", type=FilePath(), help="Results folder.  [default: results/UTC-NAME]")
@click.option("--dry-run", is_flag=True, help="Only show what would run, and how long it would take.")
@click.option("--share", type=_Share(), metavar="K/N", help="Run the K-th of N parts, as one of N computers.")
@click.option(
    "--hosts",
    type=Several(Text()),
    metavar="HOST,...",
    help="Run a share on each of these computers by SSH, and merge the results here.",
)
@click.option("--ssh", type=Text(), default="ssh", show_default=True, help="The command that logs in, with options.")
@json_option
def run(
    study: Path,
    output: Path | None,
    dry_run: bool,
    share: Share | None,
    hosts: tuple[str, ...] | None,
    ssh: str,
    as_json: bool,
) -> int:
    """Run the experiments of a study FILE in a drawn order; keep the results in one folder.

    After an interruption or a crash, mmwemu study resume goes on. Paths in FILE are relative to its folder.
    """
    from mmwemu.results.store import default_path
    from mmwemu.study import running, state

    if share and hosts:
        raise InputError("hosts", "cannot be used with --share, since each host gets one")
    text, base, results = read_text(study), study.absolute().parent, Path("results").absolute()
    output = output and output.absolute()
    with contextlib.chdir(base):
        asked = study_file.read(text, str(study))
        if study_file.expected(text, str(study)):
            warn(f"{study}: expect is not judged here; mmwemu check does")
        if dry_run:
            return _show(state.planned(asked, share), as_json)
        path = output or default_path(results, asked.name)
        warn_of_machine()
        if hosts:
            return _conclude(_run_on_hosts(asked, hosts, ssh, path, base), as_json)
        with progress() as on_progress, _naming(study):
            done = running.run_study(asked, path, sys.argv, share=share, base=base, on_progress=on_progress)
    return _conclude(done, as_json)


@contextlib.contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Name the study file in errors about one of its experiments, which only their applications could find."""
    try:
        yield
    except InputError as error:
        if error.where.startswith("run["):
            raise InputError(f"{file}: {error.where}", error.problem) from None
        raise


def _run_on_hosts(study: Study, logins: tuple[str, ...], ssh: str, path: Path, base: Path) -> Path:
    from mmwemu.core import process
    from mmwemu.study.hosts import Host, run_on_hosts

    hosts = [Host(login, tuple(process.split(ssh, "--ssh"))) for login in logins]
    return run_on_hosts(study, hosts, path, sys.argv, base, _tell)


def _tell(host: str, line: str) -> None:
    warn(f"{host}: {line.removeprefix('mmwemu: ')}")


@command.command("resume")
@click.argument("kept", type=FilePath(), metavar="FOLDER")
@json_option
def resume(kept: Path, as_json: bool) -> int:
    """Go on with a study that was interrupted, from its results FOLDER (...in-progress).

    What is finished is not repeated. The study and its patterns have to be the same as when it began.
    """
    from mmwemu.study import running

    folder = kept.absolute()
    with _begun(folder) as asked:
        with progress() as on_progress:
            done = running.resume_study(asked, folder, on_progress)
    return _conclude(done, as_json)


@command.command("show")
@click.argument("kept", type=FilePath(), metavar="FILE|FOLDER")
@json_option
def show(kept: Path, as_json: bool) -> int:
    """Show what a study plans, from its FILE, or how far it has come, from its results FOLDER."""
    from mmwemu.study import state

    if kept.is_dir():
        return _show(state.state_of(kept), as_json)
    text = read_text(kept)
    with contextlib.chdir(kept.absolute().parent):
        return _show(state.planned(study_file.read(text, str(kept))), as_json)


@contextlib.contextmanager
def _begun(folder: Path) -> Iterator[Study]:
    """Yield the study in a results folder, within the folder to which its paths are relative."""
    from mmwemu.study import record as records
    from mmwemu.study import running

    running.finished_name(folder)
    record = records.read(folder)
    text = records.read_text_of(folder, record)
    try:
        entered = contextlib.chdir(record.base)
        entered.__enter__()
    except OSError as error:
        raise MmwemuError(f"{record.base}: the study's paths are relative to it: {error.strerror}") from None
    with contextlib.ExitStack() as stack:
        stack.push(entered)
        yield study_file.read(text, str(folder / records.TEXT))


def _conclude(folder: Path, as_json: bool) -> int:
    from mmwemu.study import state

    found = state.state_of(folder)
    _show(found, as_json)
    shown_path = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    if not as_json:
        say(f"results: {shown_path}")
    total = sum(one.done for one in found.experiments)
    failed, invalid = (sum(getattr(one, name) for one in found.experiments) for name in ("failed", "invalid"))
    if invalid:
        warn(f"the link was not valid in {invalid} of {total} runs")
    if failed:
        warn(f"{failed} of {total} runs failed")
        return MmwemuError.exit_code
    return InvalidRunError.exit_code if invalid else 0


def _show(found: StudyState, as_json: bool) -> int:
    if as_json:
        print_json(_json(found))
        return 0
    is_planned = found.status == "planned"
    share = "" if found.share.of == 1 else f", share {found.share}"
    header = ["", "application", "cases", "patterns", "repetitions", "runs", *([] if is_planned else _COUNTS)]
    header += ["a replay", "in all"] if is_planned else ["left", "time left"]
    rows = []
    for number, one in enumerate(found.experiments, 1):
        what = one.planned
        row: list[object] = [number, what.application, what.cases, what.patterns, what.repetitions, what.runs]
        if is_planned:
            each = f"{what.expected_s / what.replays:.1f} s" if what.replays else "-"
            row += [each, duration(what.expected_s)]
        else:
            row += [one.done, one.invalid, one.failed, one.cpu_bound, one.rejected, one.left, duration(one.left_s)]
        rows.append(row)
    say(f"study {found.name}: {found.status}{share}")
    print_table(header, rows, [i for i in range(len(header)) if i != 1])
    runs, left_s = sum(one.planned.runs for one in found.experiments), sum(one.left_s for one in found.experiments)
    if is_planned:
        say(f"{runs} runs, about {duration(left_s)}")
    elif found.status != "finished":
        done = sum(one.done for one in found.experiments)
        say(f"{done} of {runs} runs are done; about {duration(left_s)} left")
    return 0


_COUNTS = ["done", "not valid", "failed", "CPU-bound", "rejected"]


def _json(found: StudyState) -> dict[str, Any]:
    from dataclasses import asdict

    experiments = []
    for one in found.experiments:
        values = asdict(one)
        experiments.append({**values.pop("planned"), **values, "left": one.left})
    return {
        "study": printable(found.name),
        "sha256": found.sha256,
        "status": found.status,
        "share": str(found.share),
        "folder": None if found.folder is None else str(found.folder),
        "runs": sum(one.planned.runs for one in found.experiments),
        "done": sum(one.done for one in found.experiments),
        "left_s": sum(one.left_s for one in found.experiments),
        "experiments": experiments,
    }
