"""mmwemu clean."""

from __future__ import annotations

from pathlib import Path

import click

from mmwemu.apps.option_types import FilePath
from mmwemu.cli.output import say


@click.command("clean")
@click.argument("folders", metavar="[FOLDER]...", nargs=-1, type=FilePath())
@click.option("--dry-run", is_flag=True, help="Only list what would be removed.")
@click.option("--results", "roots", type=FilePath(), multiple=True, default=("results",),
              show_default=True, help="Folder of results, in which unfinished ones are listed.")  # fmt: skip
@click.option("--unfinished", is_flag=True, help="Remove unfinished results as well; the runs kept in them are lost.")
def command(folders: tuple[Path, ...], dry_run: bool, roots: tuple[Path, ...], unfinished: bool) -> None:
    """Remove what a killed mmwemu has left: temporary folders, drafts, and on request unfinished results.

    Drafts are looked for in mmwemu's own folders, in that of results, in the current one and in each FOLDER. What a
    running mmwemu uses stays. Namespaces, devices and processes need no cleaning: the kernel takes them away with the
    run that made them.
    """
    from mmwemu.core import leftovers
    from mmwemu.core.errors import MmwemuError
    from mmwemu.results import store

    places = [Path(), *roots, *folders]
    different = {place.resolve(): place for place in places}.values()
    partial = [path for place in different for path in store.unfinished(place)]
    kept = [path for path in partial if leftovers.is_unused(path)]
    doomed = leftovers.find(places) + (kept if unfinished else [])
    failed = []
    for path, is_gone in ((path, True) for path in doomed) if dry_run else leftovers.remove(doomed):
        if is_gone:
            say(f"{'would remove' if dry_run else 'removed'} {path}")
        else:
            failed.append(path)
    for path in [] if unfinished else kept:
        say(f"kept unfinished results in {path}; remove them with --unfinished")
    if failed:
        raise MmwemuError(f"could not be removed: {', '.join(map(str, failed))}")
    if not doomed and not kept:
        say("nothing to clean")
