import io

import pytest

from mmwemu.cli import main as cli


@pytest.fixture
def mmwemu(capsys, tmp_path, monkeypatch):
    """Give a caller of the command line; it works in an empty folder and gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*argv, stdin=b""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as caught:
            cli.main([str(arg) for arg in argv])
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return call
