"""What shapes a link: the emulator in user space (tun), or the kernel's queueing disciplines (tc)."""
