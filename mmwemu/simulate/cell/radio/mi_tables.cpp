// SPDX-License-Identifier: GPL-2.0-only
#include "radio/mi_tables.h"

#include <ns3/lte-mi-error-model.h>
#include <ns3/spectrum-model.h>
#include <ns3/spectrum-value.h>

#include <cmath>

namespace mmwemu {

namespace {

// With its CRC this fills the largest code block, 6144 bits (TS 36.212, clause 5.1.2).
constexpr std::uint16_t kCodeBlockBytes = 765;
constexpr std::array<int, kModulations> kFirstMcs = {0, 10, 17};

ns3::SpectrumValue flat(double sinr) {
    // ns-3 needs at least two bands; the map below uses the first.
    static const auto bands = ns3::Create<ns3::SpectrumModel>(std::vector<double>{1e9, 2e9});
    ns3::SpectrumValue value(bands);
    value = sinr;
    return value;
}

}  // namespace

LinkTables tabulate_lte_error_model() {
    LinkTables tables;
    const std::vector<int> map{0};
    for (std::size_t i = 0; i < LinkTables::kSize; ++i) {
        const ns3::SpectrumValue sinr = flat(std::pow(10, LinkTables::sinr_db(i) / 10));
        for (std::size_t m = 0; m < kModulations; ++m) {
            tables.information[m][i] = ns3::LteMiErrorModel::Mib(sinr, map, static_cast<std::uint8_t>(kFirstMcs[m]));
        }
        for (int mcs = 0; mcs < kMcsCount; ++mcs) {
            const ns3::TbStats_t stats = ns3::LteMiErrorModel::GetTbDecodificationStats(
                sinr, map, kCodeBlockBytes, static_cast<std::uint8_t>(mcs), ns3::HarqProcessInfoList_t());
            tables.code_block_error[static_cast<std::size_t>(mcs)][i] = stats.tbler;
        }
    }
    return tables;
}

}  // namespace mmwemu
