// SPDX-License-Identifier: GPL-2.0-only
#include "core/frame.h"

#include <array>
#include <cmath>

namespace mmwemu {

double efficiency(int mcs) {
    static constexpr std::array<double, 15> kByCqi = {0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.9141,
                                                      2.4063, 2.7305, 3.3223, 3.9023, 4.5234, 5.1152, 5.5547};
    const auto low = static_cast<std::size_t>(mcs / 2);
    return mcs % 2 == 0 ? kByCqi[low] : (kByCqi[low] + kByCqi[low + 1]) / 2;
}

std::uint32_t Frame::block_bytes(int mcs, std::uint32_t symbols) const {
    return static_cast<std::uint32_t>(efficiency(mcs) * symbols * elements / 8);
}

std::uint32_t Frame::symbols_for(int mcs, std::uint32_t bytes) const {
    std::uint32_t symbols = 1;
    while (symbols < data_symbols && block_bytes(mcs, symbols) < bytes) ++symbols;
    return symbols;
}

Frame make_frame(FrameKind kind, double bandwidth_hz) {
    constexpr std::uint32_t kControlSymbols = 2;
    if (kind == FrameKind::kLegacy) {
        const auto elements = static_cast<std::uint32_t>(std::lround(2592 * bandwidth_hz / 1e9));
        return {"legacy", 100 * kMicrosecond, 24 - kControlSymbols, elements};
    }
    const int numerology = kind == FrameKind::kNumerology2 ? 2 : 3;
    const double block_hz = 12 * 15e3 * std::exp2(numerology);
    const auto blocks = static_cast<std::uint32_t>(std::ceil(bandwidth_hz / block_hz - 1e-9));
    return {"numerology" + std::to_string(numerology), kMillisecond >> numerology, 14 - kControlSymbols, blocks * 11};
}

}  // namespace mmwemu
