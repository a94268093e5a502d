"""Reads a Dockerfile of few instructions; all else is refused."""

import json
import shlex
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Stage:
    """A stage: its base, its name, and its instructions as (word, argument), in order."""

    base: str
    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Image:
    """What the last stage says of how a container starts."""

    user: str = "root"
    folder: str = "/"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)


def stages(path: Path) -> list[Stage]:
    """Return the stages of a Dockerfile.

    Raises
    ------
    ValueError
        If it has an instruction that is not known here.
    """
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("#")]
    found = []
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, _, argument = line.strip().partition(" ")
        argument = argument.strip()
        if word == "FROM":
            base, *name = argument.split()
            if name and (len(name) != 2 or name[0] != "AS"):
                raise ValueError(line)
            found.append(Stage(base, name[1] if name else ""))
        elif word in ("RUN", "COPY", "WORKDIR", "USER", "ENTRYPOINT", "CMD") and found:
            if word == "RUN" and argument.startswith(("[", "--")):
                raise ValueError(line)
            found[-1].steps.append((word, argument))
        elif word:
            raise ValueError(line)
    return found


def image(stage: Stage) -> Image:
    """Return how containers of a stage start."""
    found = Image()
    for word, argument in stage.steps:
        if word == "USER":
            found.user = argument
        elif word == "WORKDIR":
            found.folder = str(Path(found.folder, argument))
        elif word == "ENTRYPOINT":
            found.entrypoint = json.loads(argument)
        elif word == "CMD":
            found.command = json.loads(argument)
    return found


def copied(argument: str) -> tuple[str, list[str], str]:
    """Return the stage to copy from, empty for the context, what is copied, and where to."""
    words = shlex.split(argument)
    stage = ""
    if words[0].startswith("--"):
        option, _, stage = words.pop(0).partition("=")
        if option != "--from":
            raise ValueError(argument)
    if any(set(word) & set("*?$[") for word in words):
        raise ValueError(argument)
    return stage, words[:-1], words[-1]
