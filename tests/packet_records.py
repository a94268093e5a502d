"""Records of packets for tests."""

import numpy as np

from mmwemu.link.packets import RECORD, RECORD_WITH_HEADER, PacketLog

NEVER = np.iinfo(np.int64).max
MS = 1_000_000
# An IPv4 packet of UDP, 28 bytes of headers.
HEADER = bytes.fromhex("45000030000100004011") + bytes(10) + bytes.fromhex("0fa1138900 1c0000".replace(" ", ""))


def record(number, ending, direction=0, arrival=5 * MS, departure=NEVER, due=NEVER, delivered=NEVER, marked=0):
    return (number, arrival, departure, due, delivered, 1500, direction, ending, marked, len(HEADER))


RECORDS = np.array(
    [
        record(1, 0, 0, 11 * MS, 13 * MS, 17 * MS, 17 * MS + 500),
        record(2, 3, 0, 12 * MS),
        record(1, 0, 1, 5 * MS, 6 * MS, 21 * MS, 21 * MS, marked=1),
        record(2, 5, 1, 5 * MS, 7 * MS),
        record(0, 7, 0, 3 * MS),
        record(3, 2, 0, 4 * MS, 5 * MS, 6 * MS, 5 * MS),
        record(4, 1, 0, 4 * MS, 5 * MS, 6 * MS, 7 * MS),
    ],
    RECORD,
)


def fill(log: PacketLog) -> PacketLog:
    """Write `RECORDS` to a log as the emulator does, with headers if it has them."""
    full = np.zeros(len(RECORDS), RECORD_WITH_HEADER if log.headers else RECORD)
    for name in RECORD.names:
        full[name] = RECORDS[name]
    if log.headers:
        full["header"][:, : len(HEADER)] = np.frombuffer(HEADER, np.uint8)
    log._file.write(full.tobytes())
    log._file.flush()
    return log
