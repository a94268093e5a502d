import click
import pytest

from mmwemu.apps.command.application import Command
from mmwemu.apps.download.application import Downloads
from mmwemu.cli.run_mix import _Application
from mmwemu.core.errors import InputError
from mmwemu.study.planned import Part


def parse(text):
    return _Application().convert(text, None, None)


def test_an_application_has_the_options_of_its_own_verb_and_a_start():
    assert parse("download --size 5MB --limit-s 9 --at 2") == Part(Downloads((5_000_000,), limit_s=9.0), 2.0)
    assert parse("command --expect-exit 3 -- sh -c 'exit 3'") == Part(
        Command(("sh", "-c", "exit 3"), expected_exit_codes=(3,))
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "nosuch --size 5",
            "Invalid value: 'nosuch --size 5' starts with none of download, users, flow, stream, web, command",
        ),
        ("web", "Missing option '--site'"),
        ("download --nosuch", "No such option '--nosuch'"),
        ("download --pattern p.csv", "No such option '--pattern'"),
        ("download --at -1", "Invalid value for '--at'"),
    ],
)
def test_what_is_no_application_is_refused(text, message):
    with pytest.raises(click.ClickException) as caught:
        parse(text)
    assert caught.value.format_message().startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "--app: is ''; must name a program"), ("download 'x", '--app: is "download \'x": no closing quotation')],
)
def test_what_are_no_words_is_refused(text, message):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert str(caught.value) == message


def test_values_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="size: is '0'; must be from 1 byte to 1000 TB"):
        parse("download --size 0")
