"""The reader of Dockerfiles takes ours and refuses what it does not know."""

import pytest

from tests.ci.action import ROOT
from tests.containers import dockerfile


def test_ours_ends_as_an_ordinary_user():
    found = dockerfile.stages(ROOT / "Dockerfile")
    assert [stage.base for stage in found] == ["debian:12-slim", "debian:12-slim"]
    last = dockerfile.image(found[-1])
    assert (last.user, last.entrypoint, last.folder) == ("mmwemu", ["mmwemu"], "/home/mmwemu")
    for stage in found:
        for word, argument in stage.steps:
            if word == "COPY" and not argument.startswith("--from"):
                assert all((ROOT / source).exists() for source in dockerfile.copied(argument)[1])


@pytest.mark.parametrize(
    "text",
    ["RUN true", "FROM a\nADD x y", "FROM a b c d", 'FROM a\nRUN ["x"]', "FROM a\nRUN --mount=x y", "FROM a\nARG x"],
)
def test_all_else_is_refused(tmp_path, text):
    (tmp_path / "Dockerfile").write_text(text)
    with pytest.raises(ValueError):
        dockerfile.stages(tmp_path / "Dockerfile")
    with pytest.raises(ValueError):
        dockerfile.copied("--chown=x a b")
