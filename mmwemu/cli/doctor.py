"""mmwemu doctor."""

from __future__ import annotations

from dataclasses import asdict

import click

from mmwemu.cli.output import json_option, print_json, print_table


@click.command("doctor")
@json_option
def command(as_json: bool) -> int:
    """Show what this machine can do and how to mend what it cannot.

    Ends with 3 if something the main job needs is missing.
    """
    from mmwemu.core import machine

    findings = machine.examine()
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        marks = {(True, True): "ok", (True, False): "ok", (False, True): "MISSING", (False, False): "absent"}
        rows = [
            (marks[f.found, f.required], f.what, f.detail[:50] if f.found else f"{f.remedy}   [{f.needed_for}]")
            for f in findings
        ]
        print_table(("", "what", "version, or how to get it [what needs it]"), rows)
    return 3 if any(f.required and not f.found for f in findings) else 0
