"""Bounds of what a file or an option may ask for; docs/formats/bounds.md states them."""

from __future__ import annotations

LONGEST_S = 30 * 86_400.0
"""Duration of a pattern, a trace, a run or a wait, s."""

LONGEST_SCENARIO_S = 3_600.0
"""Duration of a scenario, s; its trace has a row for each millisecond."""
LONGEST_TIMER_S = 10.0
"""Of a timer or a delay in a scenario."""

LONGEST_DELAY_S = 3_600.0
"""Delay of a packet, s."""

SHORTEST_STEP_S = 1e-6
"""Length of a pattern's step or of a trace's bin, s."""

HIGHEST_RATE_BPS = 1e12
"""Rate, bit/s; a pattern may also be unlimited."""

LARGEST_BYTES = 10**15
"""Size of a file to transfer, bytes."""

LARGEST_QUEUE_BYTES = 10**12
"""Size of a queue, bytes."""

LARGEST_QUEUE_PACKETS = 10**9
"""Size of a queue, packets."""

LARGEST_PROXY_BUFFER_BYTES = 10**10
"""Data that milliProxy holds back, bytes."""

SHORTEST_INFORMATION_S = 1e-4
"""Time between two pieces of information for milliProxy in the emulator, s; each may wake it up."""

LARGEST_QUEUE_BDP = 1e6
"""Size of a queue, bandwidth-delay products."""

LARGEST_SEED = 2**62 - 1

LARGEST_WINDOW_PACKETS = 10_000
"""Initial window of TCP, packets."""

LEAST_WINDOW_BYTES, LARGEST_WINDOW_BYTES = 4096, 2**30
"""Buffers of TCP sockets, bytes; the largest window that TCP can announce is 2^30 (RFC 7323, 2.3)."""

LEAST_PACING_BPS = 12_000.0
"""Rate at which a server may be told to send at most, bit/s: a packet of 1500 bytes a second."""

MOST_REPETITIONS = 1_000_000

FARTHEST_M = 1e6
"""Coordinate of a position, m."""
MOST_SIMULATIONS = 100_000
"""Simulations of a campaign."""

MOST_STEPS = 1_000_000
"""Steps of a pattern."""

MOST_BINS = 10_000_000
"""Rows of a trace."""

MOST_TEXT_BYTES = 64 * 2**20
"""Size of a text file that is read whole, bytes."""

MOST_PAGE_BYTES = 8 * 2**20
"""Size of a page or style sheet whose references are looked for, bytes."""

MOST_LINES = 2_000_000
"""Lines of a text file that is read line by line."""

MOST_LINE = 10_000
"""Characters in a line of TOML or CSV."""

MOST_URL = 8_000
"""Characters in a reference to another object."""

MOST_NESTING = 50
"""Tables or lists within each other in TOML or JSON."""
