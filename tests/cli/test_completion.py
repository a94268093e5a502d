"""Completion, by the shells themselves."""

import os
import shlex
import shutil
import subprocess
from functools import cache

import pytest

from tests.programs import MMWEMU

# What each shell is asked: the line as it is typed, and what it has to offer among others.
LINES = [
    ("mmwemu repo", {"report"}),
    ("mmwemu pattern gen", {"generate"}),
    ("mmwemu run download --fil", {"--fill"}),
    ("mmwemu run download --fill ", {"sparse", "random"}),
    ("mmwemu link --pattern s4-outage.l", {"s4-outage.lte", "s4-outage.lte.window"}),
    ("mmwemu link --link hurtig", {"hurtig2019"}),
    ("mmwemu simulate s1", {"s1-long-nlos"}),
    ("mmwemu results show kep", {"kept-runs/"}),
]

# Ask a shell for its completions of $LINE, one a line; each prints what it would show.
BASH = """
source ./script || exit
read -ra COMP_WORDS <<< "$LINE"
[[ $LINE == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$LINE COMP_POINT=${#LINE}
asked_files=
compopt() { asked_files=yes; }
_mmwemu_completion mmwemu
printf '%s\\n' "${COMPREPLY[@]}"
[[ ${#COMPREPLY[@]} -gt 0 || -z $asked_files ]] || compgen -d -S / -- "${COMP_WORDS[-1]}"
"""
FISH = "source ./script; complete --do-complete $LINE"
# zsh completes in a terminal only: one is made for it, and its list is what it would insert.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
answer() { zpty -w shell "$1"; }
answer 'PS1=; unsetopt zle_bracketed_paste; fpath=(. $fpath); autoload -U compinit; compinit -u -D'
answer "zstyle ':completion:*' list-separator ' '; LISTMAX=1000; source ./script"
answer 'bindkey "^X" list-choices; print -r ready''1'
zpty -r -m shell seen '*ready1*'
zpty -w -n shell "$LINE"$'\x18'
zpty -r -m shell seen "*$WANTED*"
print -r -- "$seen"
"""


@cache
def script(shell):
    return subprocess.run([*MMWEMU, "completion", shell], capture_output=True, text=True, check=True).stdout


def offered(shell, program, line, folder, wanted=""):
    """Return the words that a shell shows for a line; zsh is listened to until it shows the one that is wanted."""
    home = folder / "home"
    (home / "bin").mkdir(parents=True, exist_ok=True)
    (folder / "kept-runs").mkdir(exist_ok=True)
    command = home / "bin/mmwemu"
    command.write_text(f'#!/bin/sh\nexec {shlex.join(MMWEMU)} "$@"\n')
    command.chmod(0o755)
    (folder / "script").write_text(script(shell))
    around = os.environ | {"LINE": line, "WANTED": wanted, "HOME": str(home), "TERM": "dumb"}
    around["PATH"] = f"{home}/bin:{os.environ['PATH']}"
    argv = {"bash": ["bash", "--norc", "-c"], "fish": ["fish", "--no-config", "-c"], "zsh": ["zsh", "-f", "-c"]}[shell]
    done = subprocess.run([*argv, program], cwd=folder, env=around, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_bash_completes_verbs_options_names_and_files(line, tmp_path):
    asked, expected = line
    assert expected <= offered("bash", BASH, asked, tmp_path)


def test_bash_offers_nothing_that_does_not_begin_so(tmp_path):
    assert offered("bash", BASH, "mmwemu link --pattern s4-outage.l", tmp_path) == {
        "s4-outage.lte",
        "s4-outage.lte.window",
    }


@pytest.mark.parametrize(("shell", "program"), [("zsh", ZSH), ("fish", FISH)])
def test_other_shells_complete_them_too(shell, program, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    for asked, expected in [LINES[0], LINES[4]]:
        assert expected <= offered(shell, program, asked, tmp_path, wanted=max(expected)), asked


def test_a_shell_of_another_name_is_refused():
    done = subprocess.run([*MMWEMU, "completion", "tcsh"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "tcsh" in done.stderr
