"""A study on two computers, for which two sshd on loopback stand, each with a home of its own."""

import json
import os
import subprocess
import sys

import pytest

from mmwemu.core import process
from mmwemu.core.errors import MissingError
from mmwemu.pattern.convert import constant
from mmwemu.pattern.formats import native
from mmwemu.results import store

pytestmark = [pytest.mark.apps, pytest.mark.usefixtures("needs_link")]

STUDY = """
format = 1
name = "shared"
pattern = ["mine.csv", "s1-long-nlos.lte"]
repetitions = 3

[[run]]
application = "download"
size = "20kB"

[[run]]
application = "command"
argv = ["true"]
repetitions = 1
"""
COMPUTERS = r"""
set -e
mount -t tmpfs none /run
mkdir /run/sshd
cd {folder}
ip link set lo up
mkdir -p bin local home
# A login gets a home without start-up files, whatever root's own have.
sed 's#^root:.*#root:x:0:0:root:{folder}/home:/bin/sh#' /etc/passwd > passwd
mount --bind passwd /etc/passwd
printf '#!/bin/sh\nexec {python} -c "from mmwemu.cli.main import main; main()" "$@"\n' > bin/mmwemu
chmod +x bin/mmwemu
ssh-keygen -q -t ed25519 -N '' -f key
ssh-keygen -q -t ed25519 -N '' -f host
path={folder}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
for i in 1 2; do
  mkdir -p home$i
  cat > sshd_config$i <<END
ListenAddress 127.0.0.$i
Port 2222
HostKey {folder}/host
AuthorizedKeysFile {folder}/key.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
SetEnv PATH=$path XDG_STATE_HOME={folder}/home$i/state XDG_CACHE_HOME={folder}/home$i/cache
END
  /usr/sbin/sshd -D -e -f sshd_config$i 2> sshd$i.log &
done
ssh="ssh -p 2222 -i {folder}/key -o StrictHostKeyChecking=no -o LogLevel=ERROR -o UserKnownHostsFile=/dev/null"
both="--hosts root@127.0.0.1,root@127.0.0.2"
study() {{
  bin/mmwemu study run study.toml --ssh "$ssh" "$@"
}}
sleep 0.5
"""


@pytest.fixture
def computers(tmp_path):
    """Give a function that runs a script with `study` and $both."""
    if os.geteuid() != 0:
        pytest.skip("sshd needs root")
    for tool in ("sshd", "ssh", "ssh-keygen", "ip"):
        try:
            process.find_tool(tool, "install it")
        except MissingError as error:
            pytest.skip(str(error))
    native.save(constant(20e6, 10), tmp_path / "mine.csv")
    (tmp_path / "study.toml").write_text(STUDY)

    def run(script, *codes):
        text = (COMPUTERS + script).format(folder=tmp_path, python=f"{sys.executable} -P")
        argv = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", text]
        env = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")}
        done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=180, check=False)
        assert done.returncode in (codes or (0, 4)), done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_two_computers_make_one_results_folder(computers, tmp_path):
    output = computers("study $both -o r")
    assert "mmwemu: root@127.0.0.1: shared ..." in output and "mmwemu: root@127.0.0.2: shared ..." in output
    runs = store.load(tmp_path / "r")
    assert sorted(runs["run"]) == list(range(1, 9))
    assert runs.groupby(["application", "pattern"]).size().to_dict() == {
        ("command", "mine"): 1, ("command", "s1-long-nlos.lte"): 1,
        ("download", "mine"): 3, ("download", "s1-long-nlos.lte"): 3,
    }  # fmt: skip
    assert runs.groupby(["experiment", "repetition"])["folder"].nunique().eq(1).all()
    assert runs["folder"].nunique() == 2
    assert json.loads((tmp_path / "r" / "study.json").read_text())["share"] == "1/1"
    assert not list(tmp_path.glob("home*/cache/mmwemu/studies/*"))


def test_what_a_computer_has_measured_is_not_repeated(computers, tmp_path):
    script = r"""
    mv bin/mmwemu bin/real
    cat > bin/mmwemu <<'END'
#!/bin/sh
case "$XDG_STATE_HOME$2" in *home2*run) echo it broke >&2; exit 1;; esac
exec {folder}/bin/real "$@"
END
    chmod +x bin/mmwemu
    ! bin/real study run study.toml --ssh "$ssh" $both -o r || exit 9
    test ! -e r
    ls -d home1/cache/mmwemu/studies/*/results
    stat -c %Y home1/cache/mmwemu/studies/*/results/runs.parquet > before
    mv bin/real bin/mmwemu
    study $both -o r
    """
    output = computers(script)
    assert "mmwemu: root@127.0.0.2: it broke" in output
    assert output.count("root@127.0.0.1: shared ...") == 1
    assert sorted(store.load(tmp_path / "r")["run"]) == list(range(1, 9))


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        ("study --hosts root@127.0.0.1,root@127.0.0.1 -o r", 2, "hosts: has one twice; a computer runs one study"),
        ("study --hosts root@127.0.0.3 -o r", 1, "root@127.0.0.3: cannot be logged in to: ssh: connect to host"),
        ("study --hosts '-oX' -o r", 2, "hosts: has '-oX'; must be HOST or USER@HOST"),
        ("study --hosts a --share 1/2 -o r", 2, "hosts: cannot be used with --share, since each host gets one"),
        ("mkdir r; study $both -o r", 2, "exists already; results are never overwritten"),
    ],
)
def test_what_cannot_be_had_is_one_line(computers, tmp_path, script, code, message):
    (line,) = [line for line in computers(script, code).splitlines() if line.startswith("mmwemu: ")]
    assert message in line
    assert not (tmp_path / "r" / "runs.parquet").exists()


def test_a_computer_without_mmwemu_is_told(computers):
    output = computers('cp bin/mmwemu here; rm bin/mmwemu; ./here study run study.toml --ssh "$ssh" $both -o r', 3)
    assert "has no mmwemu in the PATH of its logins; install it there" in output
