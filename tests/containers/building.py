"""Builds the image of a Dockerfile without an engine: each stage in a copy of the same Debian, by chroot."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.containers.dockerfile import Image, copied, image, stages

ROOT = Path(__file__).parents[2]
_WORK = ROOT / "build" / "containers"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Debian's suite of a base image, and what a machine has beside the engine for its builds: names, proxies, certificates.
_SUITES = {"debian:12-slim": "bookworm"}
_FROM_MACHINE = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf")
_CERTIFICATES = "/run/certificates-of-machine.pem"
_RUN = """
set -e
root=$1 folder=$2 line=$3
shift 3
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
for file in "$@"; do
  there=$root${file#*=}
  mkdir -p "$(dirname "$there")"
  [ -e "$there" ] || : >"$there"
  mount --bind "${file%%=*}" "$there"
done
exec chroot "$root" /bin/sh -c "cd '$folder'; $line"
"""


def build(path: Path) -> tuple[Path, Image]:
    """Return the root folder of the last stage and how its containers start; a Debian that was made before is taken."""
    remove()
    roots, found = {}, stages(path)
    for number, stage in enumerate(found):
        root = _WORK / f"stage-{number}"
        subprocess.run(["cp", "-a", "--reflink=auto", _base(_SUITES[stage.base]), root], check=True)
        roots[stage.name] = root
        folder = "/"
        for word, argument in stage.steps:
            if word == "RUN":
                _run(root, folder, argument)
            elif word == "WORKDIR":
                folder = str(Path(folder, argument))
                (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
            elif word == "COPY":
                _copy(root, folder, argument, roots)
    return root, image(found[-1])


def remove() -> None:
    """Remove the stages, which take some 3 GB, and keep the Debian that they began with."""
    for root in _WORK.glob("stage-*"):
        shutil.rmtree(root)


def _base(suite: str) -> Path:
    base = _WORK / f"debian-{suite}"
    if not base.exists():
        draft = _WORK / f"debian-{suite}.in-progress"
        shutil.rmtree(draft, ignore_errors=True)
        draft.parent.mkdir(parents=True, exist_ok=True)
        argv = ["debootstrap", "--variant=minbase", suite, str(draft), *_mirror(suite)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr
        draft.rename(base)
    return base


def _mirror(suite: str) -> list[str]:
    """Return the mirror that this machine takes its packages from; none leaves it to debootstrap."""
    argv = ["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"]
    lines = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split("\n")
    return [line.split()[1] for line in lines if line.startswith(f"{suite} ")][:1]


def _run(root: Path, folder: str, line: str) -> None:
    env = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name.endswith("_proxy")}
    files = [f"{name}={name}" for name in _FROM_MACHINE if Path(name).is_file()]
    if "PIP_CERT" in env:  # at a place of its own, which no package of the image wants
        files.append(f"{env['PIP_CERT']}={_CERTIFICATES}")
        env["PIP_CERT"] = _CERTIFICATES
    argv = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", _RUN, "sh", root, folder, line]
    done = subprocess.run(
        [*argv, *files], env={"PATH": _PATH, "HOME": "/root", **env}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, f"RUN {line}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"


def _copy(root: Path, folder: str, argument: str, roots: dict[str, Path]) -> None:
    stage, sources, target = copied(argument)
    context = roots[stage] if stage else ROOT
    into = root / str(Path(folder, target)).lstrip("/")
    for source in sources:
        here = context / source.lstrip("/")
        if here.is_dir():  # the engine copies what is in a folder, not the folder
            shutil.copytree(here, into, symlinks=True, dirs_exist_ok=True, ignore=None if stage else _ignored)
        else:
            if not target.endswith("/"):
                raise ValueError(argument)
            into.mkdir(parents=True, exist_ok=True)
            shutil.copy2(here, into)


def _ignored(folder: str, names: list[str]) -> list[str]:
    """Return what .dockerignore leaves out, as far as it lies in folders that are copied."""
    known = (ROOT / ".dockerignore").read_text().split()
    relative = Path(folder).relative_to(ROOT)
    return [name for name in names if f"**/{name}" in known or str(relative / name) in known]
