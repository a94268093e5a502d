"""Attempts on the kernel that need system calls: ``python escapes.py NAME ARGUMENT...`` prints OUT where one works."""

import ctypes
import errno
import os
import socket
import sys
import time
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET, _PTRACE_SEIZE, _PTRACE_DETACH = 0x40000000, 0x4206, 17
_SYS_PIDFD_GETFD = 438


def enter(pid):
    """Join the network of a process by a descriptor of it."""
    if _LIBC.setns(os.pidfd_open(int(pid)), _CLONE_NEWNET) == 0:
        print("OUT")


def trace(pid):
    """Trace a process."""
    if _LIBC.ptrace(_PTRACE_SEIZE, int(pid), None, None) == 0:
        _LIBC.ptrace(_PTRACE_DETACH, int(pid), None, None)
        print("OUT")


def take_descriptor(pid):
    """Take a descriptor from a process, which could be a socket in its network."""
    if _LIBC.syscall(_SYS_PIDFD_GETFD, os.pidfd_open(int(pid)), 0, 0) >= 0:
        print("OUT")


def end_swapping():
    """End swapping to a file that does not exist, which the kernel notices only after it has looked at the rights."""
    _LIBC.swapoff(b"/nosuch")
    if ctypes.get_errno() != errno.EPERM:
        print("OUT")


def real_time():
    """Ask for real-time scheduling."""
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    print("OUT")


def abstract_socket(name):
    """Connect to a socket outside that has no file."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(f"\0{name}")
        print("OUT")


def loopback(port):
    """Connect to a server on the computer's loopback."""
    with socket.create_connection(("127.0.0.1", int(port)), timeout=5):
        print("OUT")


def at_server(port):
    """Connect to the server of this testbed, whose address other testbeds have too."""
    with socket.create_connection((os.environ["MMWEMU_SERVER"], int(port)), timeout=5):
        print("OUT")


def control_socket():
    """Look for a socket that controls a link: by the kernel's list, and among the descriptors of all processes here."""
    rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    if any(row[4] == f"{socket.SOCK_SEQPACKET:04x}" for row in rows):
        print("OUT")
    for pid in (int(path.name) for path in Path("/proc").glob("[0-9]*")):
        if pid == os.getpid():
            continue
        try:
            process = os.pidfd_open(pid)
        except OSError:
            continue
        for number in range(3, 64):
            taken = _LIBC.syscall(_SYS_PIDFD_GETFD, process, number, 0)
            if taken < 0:
                continue
            try:
                sock = socket.socket(fileno=taken)
            except OSError:  # it is no socket
                os.close(taken)
                continue
            if (sock.family, sock.type) == (socket.AF_UNIX, socket.SOCK_SEQPACKET):
                print("OUT")
            sock.close()
        os.close(process)


def file_socket(path):
    """Connect to a socket outside that has a file."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(path)
        print("yes")


def beyond_gateway():
    """Make a device on the computer's end of the gateway, by the number under which this network knows that one."""
    from pyroute2 import IPRoute

    with IPRoute() as route:
        while not (found := route.link_lookup(ifname="outside")):
            time.sleep(0.05)
        device = route.get_links(found[0])[0]
        where = {"link": device.get_attr("IFLA_LINK"), "link_netnsid": device.get_attr("IFLA_LINK_NETNSID")}
        print("tries", where, flush=True)
        route.link("add", ifname="way", kind="macvlan", **where)
        print("OUT", flush=True)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
