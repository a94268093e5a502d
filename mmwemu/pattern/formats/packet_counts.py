"""Bytes of a packet trace in windows, counted chunk by chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mmwemu.core.bounds import LARGEST_BYTES
from mmwemu.core.errors import InputError
from mmwemu.core.text import digits, shown
from mmwemu.pattern.formats.byte_bins import ByteBins
from mmwemu.pattern.model import Floats

if TYPE_CHECKING:
    import pyarrow as pa

DIRECTION, LINK = "direction", "link"
"""Columns that count, too, where a file has them."""
ACCESS_LINK = 1
"""The link whose packets count."""
_LATEST_NS = 2**62


class PacketCounts:
    """What was counted of a trace so far.

    Parameters
    ----------
    time, size
        Names of the columns.
    unit_ns
        Length of the times' unit, ns.
    window_ns
        Length of a window, ns.

    Attributes
    ----------
    down, up
        Bytes of each direction; all are ``down`` where the trace tells no direction.
    rows, without, other_links
        Rows; those without time or size, and those of other links than `ACCESS_LINK`, which are left out.
    """

    def __init__(self, time: str, size: str, unit_ns: float, window_ns: int) -> None:
        self._time, self._size, self._unit_ns = time, size, unit_ns
        self.down, self.up = ByteBins(window_ns), ByteBins(window_ns)
        self.rows = self.without = self.other_links = 0

    def add(self, chunk: pa.RecordBatch) -> None:
        """Count the rows of a chunk.

        Raises
        ------
        InputError
            With row and column: no number, or one beyond its bounds.
        """
        times, sizes = _numbers(chunk, self._time), _numbers(chunk, self._size)
        kept: NDArray[np.bool_] = ~(np.isnan(times) | np.isnan(sizes))
        self.without += len(times) - int(np.count_nonzero(kept))
        fits = (sizes >= 0) & (sizes <= LARGEST_BYTES)
        self._refuse(kept & ~fits, self._size, sizes, f"from 0 to {LARGEST_BYTES} bytes")
        with np.errstate(over="ignore"):
            time_ns = times * self._unit_ns
        self._refuse(kept & ~(np.abs(time_ns) < _LATEST_NS), self._time, times, "a time within 146 years")
        names = set(chunk.schema.names) - {self._time, self._size}
        if LINK in names:
            others = _numbers(chunk, LINK) != ACCESS_LINK
            self.other_links += int(np.count_nonzero(others & kept))
            kept &= ~others
        up = self._uplink(chunk) if DIRECTION in names else np.zeros(len(kept), dtype=bool)
        for bins, mask in ((self.down, kept & ~up), (self.up, kept & up)):
            picked = slice(None) if mask.all() else mask
            bins.add(np.rint(time_ns[picked]).astype(np.int64), sizes[picked])
        self.rows += len(times)

    def _refuse(self, bad: NDArray[np.bool_], name: str, values: Floats, rule: str) -> None:
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(f"row {self.rows + row + 1}: {name}", f"is {digits(float(values[row]))}; must be {rule}")

    def _uplink(self, chunk: pa.RecordBatch) -> NDArray[np.bool_]:
        """Return whether each row is of the uplink."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column: Any = chunk.column(chunk.schema.get_field_index(DIRECTION))
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            raise InputError(DIRECTION, f"is a column of {column.type}; must be one of downlink and uplink")
        up, down = (np.asarray(pc.fill_null(pc.equal(column, name), False)) for name in ("uplink", "downlink"))
        strange = ~(up | down)
        if strange.any():
            row = int(np.argmax(strange))
            problem = f"is {shown(column[row].as_py())}; must be downlink or uplink"
            raise InputError(f"row {self.rows + row + 1}: {DIRECTION}", problem)
        found: NDArray[np.bool_] = up
        return found


def _numbers(chunk: pa.RecordBatch, name: str) -> Floats:
    """Return a column as floats, NaN where it has no value."""
    import pyarrow as pa

    column = chunk.column(chunk.schema.get_field_index(name))
    is_whole = pa.types.is_integer(column.type)
    if not (is_whole or pa.types.is_floating(column.type)):
        raise InputError(name, f"is a column of {column.type}; must be one of numbers")
    if not len(column):
        return np.zeros(0)
    if column.null_count or not (is_whole or pa.types.is_float64(column.type)):
        column, is_whole = column.cast(pa.float64(), safe=False).fill_null(np.nan), False
    # From memory: Arrow's to_numpy imports pandas, which takes longer than a million rows.
    values = np.frombuffer(column.buffers()[1], dtype=str(column.type) if is_whole else np.float64)
    return values[column.offset : column.offset + len(column)].astype(np.float64, copy=False)
