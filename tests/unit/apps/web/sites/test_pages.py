import hashlib

import pytest

from mmwemu.apps.web.sites import pages
from mmwemu.apps.web.sites.model import SiteObject


def objects(kind, count):
    return [SiteObject(f"{kind}/{i}", kind, f"h{i}.test", 1) for i in range(count)]


STYLES, SCRIPTS, IMAGES = objects("css", 3), objects("js", 6), objects("image", 20)


@pytest.mark.parametrize(
    ("styles", "scripts", "images", "backgrounds", "inserted"),
    [
        (3, 6, 20, 3, 2),  # no more backgrounds than style sheets
        (9, 6, 20, 4, 2),  # a fifth and a tenth of the images
        (9, 9, 99, 9, 7),
        (9, 3, 99, 9, 1),  # the first two scripts insert nothing
        (9, 2, 99, 9, 0),
        (9, 9, 4, 0, 0),
    ],
)
def test_images_are_shared_by_style_sheets_scripts_and_page(styles, scripts, images, backgrounds, inserted):
    parts = pages.arrange(STYLES * 3 if styles == 9 else STYLES, objects("js", scripts), objects("image", images))
    assert (len(parts.backgrounds), len(parts.inserted)) == (backgrounds, inserted)
    assert [*parts.backgrounds, *parts.inserted, *parts.pictures] == objects("image", images)


def test_the_first_two_scripts_block_and_the_others_are_deferred():
    text = pages.page(pages.arrange(STYLES, SCRIPTS, IMAGES), "t", 1)
    assert [line for line in text.splitlines() if line.startswith("<script ")] == [
        *(f'<script src="//h{i}.test/js/{i}"></script>' for i in (0, 1)),
        *(f'<script defer src="//h{i}.test/js/{i}"></script>' for i in (2, 3, 4, 5)),
    ]


def test_a_page_has_a_hero_a_grid_sections_and_text():
    text = pages.page(pages.arrange(STYLES, SCRIPTS, IMAGES), "t", 1)
    assert text.count('class="hero"') == 1
    # 20 pictures: three in style sheets, two by scripts, the hero.
    assert text.count("<figure>") == 14
    assert [text.count(f'class="b{i}"') for i in range(4)] == [1, 1, 1, 0]
    assert text.count("<p>") == 12
    bare = pages.page(pages.arrange(STYLES, SCRIPTS, []), "t", 1)
    assert ("hero" in bare, "<figure>" in bare) == (False, False)


def test_deferred_scripts_insert_a_picture_each():
    parts = pages.arrange(STYLES, SCRIPTS, IMAGES)
    inserts = [pages.script(i, parts) for i in range(6)]
    assert ["new Image()" in text for text in inserts] == [False, False, True, True, False, False]
    assert "picture.src='//h3.test/image/3'" in inserts[2]
    assert all("while(performance.now()-start<3)" in text for text in inserts)


def test_each_style_sheet_has_its_background_and_the_first_the_layout():
    parts = pages.arrange(STYLES, SCRIPTS, objects("image", 10))
    sheets = [pages.style(i, parts) for i in range(3)]
    assert ["background-image" in text for text in sheets] == [True, True, False]
    assert ["display:grid" in text for text in sheets] == [True, False, False]
    assert sheets[1] == ".b1{background-image:url(//h1.test/image/1)}\n"


@pytest.mark.parametrize("more", [0, 1, 60, 1000])
def test_texts_are_padded_to_the_byte(more):
    page = pages.page(pages.arrange([], [], []), "t", 1)
    least = pages.page_bytes(page)
    assert len(pages.finish_page(page, least + more, 1)) == least + more
    assert pages.finish_page(page, least + more, 1).startswith(page)
    assert pages.finish_page(page, least + more, 1).rstrip().endswith("</html>")
    assert len(pages.finish_code("p{}", 3 + more, 1)) == 3 + more


def test_padding_is_data_where_it_has_room_and_blanks_where_not():
    page = pages.page(pages.arrange([], [], []), "t", 1)
    frame = len('<script type="application/json">"' + '"</script>\n')
    least = pages.page_bytes(page)
    assert "application/json" not in pages.finish_page(page, least + frame - 1, 1)
    assert '<script type="application/json">""</script>\n' in pages.finish_page(page, least + frame, 1)
    assert pages.finish_code("p{}", 7, 1) == "p{}\n\n\n\n"
    assert pages.finish_code("p{}", 8, 1) == "p{}/**/\n"


def test_a_seed_gives_the_same_text_in_every_version():
    parts = pages.arrange(STYLES, SCRIPTS, IMAGES)
    texts = [pages.page(parts, "t", 1), *(pages.style(i, parts) for i in range(3)),
             *(pages.script(i, parts) for i in range(6)), pages.filler(5000, 2)]  # fmt: skip
    assert (
        hashlib.sha256("".join(texts).encode()).hexdigest()
        == "55fb493afb0453c6df1d16c77a2f4e1bd7bd88e92fb0a52e23c058ab449e40da"
    )
    assert pages.filler(5000, 2) != pages.filler(5000, 3)
