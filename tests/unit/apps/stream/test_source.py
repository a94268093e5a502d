import shutil
import subprocess

import pytest

from mmwemu.apps.stream.film import Film, put_film
from mmwemu.apps.stream.ladder import LADDERS
from mmwemu.apps.stream.source import find_source
from mmwemu.core.errors import InputError

needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed")


@pytest.fixture
def clip(tmp_path):
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=10", "-t", "1", tmp_path / "c.ts"],
        check=True,
    )
    return tmp_path / "c.ts"


@needs_ffmpeg
def test_a_film_is_one_file_and_no_list_of_others(clip):
    assert find_source(str(clip)).duration_s == pytest.approx(1.0, abs=0.2)
    lists = {
        "a.m3u8": f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{clip.name}\n#EXT-X-ENDLIST\n",
        "a.mp4": f"ffconcat version 1.0\nfile {clip.name}\n",
        "b.mp4": "#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/x.ts\n#EXT-X-ENDLIST\n",
    }
    for name, text in lists.items():
        file = clip.with_name(name)
        file.write_text(text)
        with pytest.raises(InputError, match="is not a film"):
            find_source(str(file))


def test_a_film_whose_file_leads_elsewhere_is_not_put_on_the_server(tmp_path):
    film = Film("f", LADDERS["8k"], tmp_path / "film", 1.0)
    film.folder.mkdir()
    (film.folder / "a").write_bytes(b"a")
    content = tmp_path / "content"
    content.mkdir()
    put_film(film, content)
    put_film(film, content)
    assert (content / "film" / "a").read_bytes() == b"a"
    shutil.rmtree(content / "film")
    (film.folder / "b").symlink_to("/etc/passwd")
    with pytest.raises(InputError, match="leads out of its folder"):
        put_film(film, content)
    assert not (content / "film" / "b").exists()
