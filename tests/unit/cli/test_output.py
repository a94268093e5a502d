import io
import json
import sys

from mmwemu.cli import output


class Stream(io.TextIOWrapper):
    def __init__(self, encoding):
        super().__init__(io.BytesIO(), encoding, write_through=True)

    @property
    def text(self):
        return self.buffer.getvalue().decode(self.encoding)


def test_a_line_is_one_line_whatever_it_holds(capsys):
    output.say("a\n\x1b[1mb\u202e")
    output.warn("x: is\n'\x1b[1m'")
    assert capsys.readouterr() == ("a\\n\\x1b[1mb\\u202e\n", "mmwemu: x: is '\\x1b[1m'\n")


def test_what_the_encoding_lacks_is_escaped(monkeypatch):
    out, err = Stream("latin-1"), Stream("latin-1")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    output.say("é 漢")
    output.warn("é")
    output.print_table(("ä",), [("ö",)])
    assert (out.text, err.text) == ("é \\u6f22\nä\nö\n", "mmwemu: é\n")


def test_closed_streams_get_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    output.say("x")
    output.warn("x")


def test_a_table_is_aligned_by_what_is_shown(capsys):
    output.print_table(("a", "b"), [("\x1b", 1), ("long", 22)], right=(1,))
    assert capsys.readouterr().out == "a      b\n\\x1b   1\nlong  22\n"


def test_json_is_ascii_that_reads_back(capsys):
    value = {"a\x1b": ["\x7f\x9b\u202e\ud800", float("nan")]}
    output.print_json(value)
    text = capsys.readouterr().out
    assert text.replace("\n", "").isprintable() and text.isascii()
    assert json.loads(text) == {"a\x1b": ["\x7f\x9b\u202e\ud800", None]}


def test_a_step_of_work_is_escaped(capsys):
    from mmwemu.core.progress import Progress

    with output.progress() as on_progress:
        on_progress(Progress("flow \x1b[1m", 0, 1))
        on_progress(Progress("flow \x1b[1m", 1, 1))
    assert capsys.readouterr().err == "mmwemu: flow \\x1b[1m ...\n"
