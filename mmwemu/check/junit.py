"""A check as JUnit XML: a test case for each line."""

from __future__ import annotations

from xml.etree import ElementTree

from mmwemu.check.judging import Line
from mmwemu.check.report import Inconclusive, Report, words
from mmwemu.core.text import printable


def junit(report: Report, inconclusive: Inconclusive) -> str:
    """Return the XML; what is inconclusive is an error, a failure or a pass, as it counts."""
    cases = [_case(line, inconclusive) for line in report.lines]
    if not cases or (report.verdict == "fail" and all(line.verdict != "fail" for line in report.lines)):
        cases.append(_element("testcase", classname=report.study, name="check", time="0"))
        kind = "failure" if report.verdict == "fail" else "error"
        if report.verdict != "pass" and (kind == "failure" or inconclusive != "pass"):
            cases[-1].append(_element(kind, message=report.reason))
    counts = {f"{kind}s": str(sum(case.find(kind) is not None for case in cases)) for kind in ("failure", "error")}
    attributes = {"name": f"mmwemu check {report.study}", "tests": str(len(cases)), "time": f"{report.elapsed_s:.1f}"}
    suite = _element("testsuite", **attributes, **counts)
    suite.extend(cases)
    out = ElementTree.SubElement(suite, "system-out")
    out.text = "\n".join(map(printable, (f"{report.verdict}: {report.reason}", *report.notes)))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(line: Line, inconclusive: Inconclusive) -> ElementTree.Element:
    case = _element("testcase", classname=line.group, name=line.threshold, time="0")
    counts_as = inconclusive if line.verdict == "inconclusive" else line.verdict
    if counts_as != "pass":
        value, interval, bound = words(line)
        message = f"{value} [{interval}], n = {line.n}; expected {bound}{line.reason and f'; {line.reason}'}"
        kind = "failure" if counts_as == "fail" else "error"
        case.append(_element(kind, message=message, type=line.verdict))
    return case


def _element(tag: str, **attributes: str) -> ElementTree.Element:
    """Return an element whose attributes have no character that XML cannot hold."""
    return ElementTree.Element(tag, {name: _legal(value) for name, value in attributes.items()})


def _legal(text: str) -> str:
    return "".join(one if one.isprintable() and one not in "\ufffe\uffff" else "?" for one in printable(text))
