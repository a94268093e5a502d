"""The backends that shape a link: the emulator in user space (tun), the kernel's queueing disciplines (tc)."""
