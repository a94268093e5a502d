"""Runs a command in an image as docker or podman would, as far as a kernel without them allows: namespaces, masked
parts of /proc, few devices, docker's capabilities, and the calls that docker's filter refuses."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.containers.dockerfile import Image

_MOUNTS = """
set -e
root=$1 device=$2 masked=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
: >.dockerenv
: >etc/hosts
mount --bind etc/hosts etc/hosts
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm dev/net
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
node() { mknod -m 666 "dev/$1" c "$2" "$3"; }
node null 1 3; node zero 1 5; node full 1 7; node random 1 8; node urandom 1 9; node tty 5 0
[ -z "$device" ] || node net/tun 10 200
if [ -n "$masked" ]; then
  for hidden in kcore keys timer_list latency_stats sched_debug; do
    [ ! -e proc/$hidden ] || mount --bind dev/null proc/$hidden
  done
  for closed in bus fs irq sys sysrq-trigger; do
    [ -e proc/$closed ] || continue
    mount --bind proc/$closed proc/$closed
    mount -o remount,bind,ro proc/$closed
  done
fi
mkdir -p .outside
pivot_root . .outside
umount -l /.outside
rmdir /.outside
ip link set lo up
exec "$@"
"""
# A filter of system calls: docker's default refuses these without CAP_SYS_ADMIN, clone3 so that C libraries take clone.
_FILTER = """
import ctypes, os, struct, sys
EPERM, ENOSYS, NEW_NAMESPACES = 1, 38, 0x7E020000
LOAD, EQUAL, ANY, RETURN = 0x20, 0x15, 0x45, 0x06
rows = [(LOAD, 0, 0, 0)]
for number in (272, 308, 165, 166, 155):  # unshare, setns, mount, umount2, pivot_root
    rows += [(EQUAL, 0, 1, number), (RETURN, 0, 0, 0x50000 | EPERM)]
rows += [(EQUAL, 0, 1, 435), (RETURN, 0, 0, 0x50000 | ENOSYS)]
rows += [(EQUAL, 0, 3, 56), (LOAD, 0, 0, 16), (ANY, 0, 1, NEW_NAMESPACES), (RETURN, 0, 0, 0x50000 | EPERM)]
rows += [(RETURN, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *row) for row in rows))
program = struct.pack("HxxxxxxP", len(rows), ctypes.addressof(code))
if ctypes.CDLL(None).prctl(22, 2, ctypes.c_char_p(program), 0, 0) != 0:
    sys.exit("no filter of system calls")
os.execvp(sys.argv[1], sys.argv[1:])
"""
_CAPABILITIES = (
    "chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,net_raw,sys_chroot,mknod,"
    "audit_write,setfcap"
)


@dataclass(frozen=True)
class Options:
    """Options of ``docker run``: the device, and whether calls and parts of /proc are kept from the container."""

    device: bool = True
    filtered: bool = False
    masked: bool = False


def run(root: Path, image: Image, words: list[str], options: Options) -> subprocess.CompletedProcess[str]:
    """Run the entry point of an image with arguments; what it writes stays in its root."""
    keep = "-all," + ",".join(f"+{name}" for name in _CAPABILITIES.split(","))
    user = ["setpriv", f"--reuid={image.user}", f"--regid={image.user}", "--init-groups", f"--bounding-set={keep}"]
    own = ["env", f"--chdir={image.folder}", "-i", f"HOME=/home/{image.user}",
           "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]  # fmt: skip
    filtered = ["python3", "-c", _FILTER] if options.filtered else []
    argv = [*filtered, *user, *own, *image.entrypoint, *(words or image.command)]
    spaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "--net"]
    yes = [("yes" if one else "") for one in (options.device, options.masked)]
    return subprocess.run(
        [*spaces, "sh", "-c", _MOUNTS, "sh", str(root), *yes, *argv], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=300,
    )  # fmt: skip
