"""DASH films, encoded once in every quality of a ladder and kept in the user's cache."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from mmwemu.apps.stream.ladder import FRAMES_PER_S, SEGMENT_S, Ladder, Quality
from mmwemu.apps.stream.sized import make_sized
from mmwemu.apps.stream.source import Source, find_ffmpeg, input_of
from mmwemu.core import paths, process
from mmwemu.core.errors import MmwemuError
from mmwemu.core.files import within
from mmwemu.core.progress import OnProgress, Progress, ignore
from mmwemu.core.temporary import draft_folder

MANIFEST = "manifest.mpd"

# Upper bound of a player's buffer; dash.js loads 30 s ahead plus the current media segment.
_AHEAD_S = 36.0
_LEAST_S = 80.0
# Length of the encoded and then repeated part of a film: short enough to encode within a minute.
_UNIT_LEAST_S, _UNIT_MOST_S = 10.0, 20.0
_ENCODE_LIMIT_S = 600.0
# Part of the cache key, so that films from another recipe are not used.
_VERSION = 1


@dataclass(frozen=True)
class Film:
    """A film ready to serve: its folder with the manifest and all media segments."""

    name: str
    ladder: Ladder
    folder: Path
    duration_s: float


def make_film(source: Source, ladder: Ladder, play_s: float, on_progress: OnProgress = ignore) -> Film:
    """Return a film long enough to play for ``play_s``, made unless it is in the cache.

    Raises
    ------
    MissingError
        If ffmpeg is needed but not installed.
    MmwemuError
        If encoding fails, with ffmpeg's last message, or the disk is full; no partial film remains.
    """
    duration_s = max(_LEAST_S, SEGMENT_S * math.ceil((play_s + _AHEAD_S) / SEGMENT_S))
    name = source.name if ladder.encoded else "sized"
    recipe = json.dumps([_VERSION, source.key if ladder.encoded else "", asdict(ladder), duration_s])
    folder = paths.cache_folder() / "films" / f"{ladder.name}-{hashlib.sha256(recipe.encode()).hexdigest()[:16]}"
    film = Film(name, ladder, folder, duration_s)
    if folder.exists():
        return film
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with draft_folder(folder) as work:
            draft = work / "film"
            draft.mkdir()
            if ladder.encoded:
                _encode(source, ladder, duration_s, work, draft, on_progress)
            else:
                make_sized(ladder, duration_s, draft / MANIFEST)
            try:
                draft.rename(folder)
            except OSError:
                # Another process may have made it meanwhile.
                if not folder.exists():
                    raise
    except OSError as error:
        raise MmwemuError(f"{folder}: making a film failed: {error.strerror or error}") from None
    return film


def put_film(film: Film, content: Path) -> None:
    """Put a film into a web server's folder, unless it is there: as hard links, or as copies on another file system.

    Raises
    ------
    InputError
        If a file in the cache is a link that leads out of the film.
    """
    place = content / film.folder.name
    if place.exists():
        return
    place.mkdir()
    for name in sorted(path.name for path in film.folder.iterdir()):
        file = within(film.folder, name)
        try:
            (place / name).hardlink_to(file)
        except OSError:
            shutil.copyfile(file, place / name)


def _encode(
    source: Source, ladder: Ladder, duration_s: float, work: Path, folder: Path, on_progress: OnProgress
) -> None:
    """Encode a unit of the film in every quality, and repeat it as media segments."""
    ffmpeg = find_ffmpeg()
    unit_s = SEGMENT_S * math.floor(min(max(source.duration_s, _UNIT_LEAST_S), _UNIT_MOST_S) / SEGMENT_S)
    parts = [work / f"{quality.height}.mp4" for quality in ladder.video]
    for i, (quality, part) in enumerate(zip(ladder.video, parts, strict=True)):
        on_progress(Progress("film", i, len(parts)))
        _run([ffmpeg, *_picture(source), *_video(quality), "-t", f"{unit_s:g}", str(part)])
    sound = work / "audio.mp4"
    # The sound is encoded in one piece, because repeated parts would leave gaps.
    _run([ffmpeg, *_sound(source), *_audio(ladder.audio_bps), "-t", f"{duration_s:g}", str(sound)])
    _run([ffmpeg, *_segments(parts, sound, round(duration_s / unit_s + 0.5), duration_s), str(folder / MANIFEST)])
    on_progress(Progress("film", len(parts), len(parts)))


def _picture(source: Source) -> list[str]:
    if source.file is not None:
        return ["-stream_loop", "-1", *input_of(source.file), "-map", "0:v:0", "-an"]
    # Noise makes every quality use its full rate.
    moving = f"testsrc2=size=1280x720:rate={FRAMES_PER_S},noise=c0s=20:c0f=t+u"
    return ["-f", "lavfi", "-i", moving, "-an"]


def _sound(source: Source) -> list[str]:
    if source.file is not None and source.has_audio:
        return ["-stream_loop", "-1", *input_of(source.file), "-map", "0:a:0", "-vn"]
    return ["-f", "lavfi", "-i", "anoisesrc=color=pink:sample_rate=48000:amplitude=0.2:seed=1", "-vn"]


def _video(quality: Quality) -> list[str]:
    """Return the options of one quality: constant rate with filler, one closed group of pictures per segment."""
    size = f"{quality.width}:{quality.height}"
    frames = round(SEGMENT_S * FRAMES_PER_S)
    fit = f"scale={size}:force_original_aspect_ratio=decrease,pad={size}:(ow-iw)/2:(oh-ih)/2,setsar=1"
    rate = str(quality.rate_bps)
    return [
        "-vf", f"{fit},fps={FRAMES_PER_S},format=yuv420p", "-c:v", "libx264", "-preset", "veryfast",
        "-profile:v", "high", "-bf", "0", "-g", str(frames), "-keyint_min", str(frames), "-sc_threshold", "0",
        "-b:v", rate, "-minrate", rate, "-maxrate", rate, "-bufsize", str(quality.rate_bps // 2),
        "-x264-params", "nal-hrd=cbr:filler=1:force-cfr=1",
    ]  # fmt: skip


def _audio(rate_bps: int) -> list[str]:
    # MP4 boxes add about a tenth to 2 s of sound.
    return ["-ac", "1", "-ar", "48000", "-c:a", "aac", "-b:a", str(round(rate_bps * 0.91))]


def _segments(parts: list[Path], sound: Path, loops: int, duration_s: float) -> list[str]:
    inputs = [word for part in parts for word in ("-stream_loop", str(loops), "-i", str(part))]
    maps = [word for i in range(len(parts)) for word in ("-map", f"{i}:v")]
    return [
        *inputs, "-i", str(sound), *maps, "-map", f"{len(parts)}:a", "-c", "copy", "-t", f"{duration_s:g}",
        "-f", "dash", "-seg_duration", f"{SEGMENT_S:g}", "-use_template", "1", "-use_timeline", "0",
        "-adaptation_sets", "id=0,streams=v id=1,streams=a",
        "-init_seg_name", "$RepresentationID$-init.mp4", "-media_seg_name", "$RepresentationID$-$Number$.m4s",
    ]  # fmt: skip


def _run(argv: list[str]) -> None:
    command = [argv[0], "-hide_banner", "-loglevel", "error", "-y", *argv[1:]]
    try:
        done = process.run(command, timeout_s=_ENCODE_LIMIT_S)
    except subprocess.TimeoutExpired:
        raise MmwemuError(f"ffmpeg did not make the film within {_ENCODE_LIMIT_S:g} s") from None
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
        raise MmwemuError(f"ffmpeg did not make the film: {words[-1]}")
