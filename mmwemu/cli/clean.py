"""mmwemu clean."""

from __future__ import annotations

from pathlib import Path

import click

from mmwemu.apps.option_types import FilePath
from mmwemu.cli.output import say


@click.command("clean")
@click.option("--dry-run", is_flag=True, help="Only list what would be removed.")
@click.option("--results", "roots", type=FilePath(), multiple=True, default=("results",),
              show_default=True, help="Folder of results, in which unfinished ones are listed.")  # fmt: skip
@click.option("--unfinished", is_flag=True, help="Remove unfinished results as well; the runs kept in them are lost.")
def command(dry_run: bool, roots: tuple[Path, ...], unfinished: bool) -> None:
    """Remove what an earlier crash may have left: temporary folders, and on request unfinished results.

    Namespaces, devices and processes need no cleaning: the kernel takes them away with the run that made them.
    """
    import shutil

    from mmwemu.results import store
    from mmwemu.testbed import leftovers

    kept = [path for root in roots for path in store.unfinished(root)]
    doomed = leftovers.find() + (kept if unfinished else [])
    for path in doomed:
        say(f"{'would remove' if dry_run else 'removed'} {path}")
        if not dry_run:
            shutil.rmtree(path, ignore_errors=True)
    for path in [] if unfinished else kept:
        say(f"kept unfinished results in {path}; remove them with --unfinished")
    if not doomed and not kept:
        say("nothing to clean")
