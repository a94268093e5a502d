// SPDX-License-Identifier: GPL-2.0-only
// The frame structure: slots, symbols, resource elements, transport block sizes.

#pragma once

#include <cstdint>
#include <string>

#include "core/config.h"
#include "core/time.h"

namespace mmwemu {

constexpr int kMcsCount = 29;

/// Return the bits of a resource element by MCS: the 15 efficiencies of TS 36.213, table 7.2.3-1, and the means between
/// them.
double efficiency(int mcs);

/// The time-frequency grid of one slot; the two directions share its symbols.
struct Frame {
    std::string name;
    Time slot = 0;
    std::uint32_t data_symbols = 0;
    std::uint32_t elements = 0;  // usable resource elements of a symbol

    /// Size of the transport block that fills this many symbols, bytes.
    std::uint32_t block_bytes(int mcs, std::uint32_t symbols) const;
    /// Size of the transport block that fills a slot, bytes.
    std::uint32_t block_bytes(int mcs) const { return block_bytes(mcs, data_symbols); }
    /// The fewest symbols for a transport block of this size, at most a slot's.
    std::uint32_t symbols_for(int mcs, std::uint32_t bytes) const;
    /// Rate with a transport block in every slot, bit/s.
    double peak_bps(int mcs) const { return block_bytes(mcs) * 8.0 / to_seconds(slot); }
};

/// One symbol of each slot carries downlink control, one uplink control.
///
/// `legacy` is the frame of the 2019 mmWave module: 100 us, 24 symbols, 2592 elements a symbol in 1 GHz. The
/// numerologies are those of TS 38.211, clause 4.3: 14 symbols, of which 11 of 12 subcarriers are for data.
Frame make_frame(FrameKind kind, double bandwidth_hz);

}  // namespace mmwemu
