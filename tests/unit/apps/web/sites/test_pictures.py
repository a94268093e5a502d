import numpy as np
import pytest
from PIL import Image

from mmwemu.apps.web.sites import pictures


@pytest.mark.parametrize("size_bytes", [pictures.LEAST_BYTES, 701, 702, 703, 1_000, 33_333, 200_000])
def test_pictures_have_their_size_and_can_be_seen(tmp_path, size_bytes):
    data = pictures.jpeg(size_bytes, np.random.default_rng(1))
    assert len(data) == size_bytes
    (tmp_path / "p.jpg").write_bytes(data)
    with Image.open(tmp_path / "p.jpg") as image:
        image.load()
        assert np.asarray(image).std() > 0 or image.size == (8, 8)


@pytest.mark.parametrize("more", [0, 1, 3, 4, 5, 65_537, 65_538, 65_540, 200_001])
def test_padding_is_exact(more):
    data = pictures.jpeg_of_one_colour(700, np.random.default_rng(1))
    assert len(pictures.pad(data, 700 + more)) == 700 + more
