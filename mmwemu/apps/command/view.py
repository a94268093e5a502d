"""Commands on the report page."""

from __future__ import annotations

from mmwemu.report.view import View

VIEW = View("Commands", cases=("command",), leave_out=("exit_code",))
