// SPDX-License-Identifier: GPL-2.0-only
#include "core/link_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mmwemu {

namespace {

constexpr double kTargetError = 0.1;

std::size_t nearest(double sinr_db) {
    const double at = std::round((sinr_db - LinkTables::kLowDb) / LinkTables::kStepDb);
    return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(LinkTables::kSize - 1)));
}

}  // namespace

LinkModel::LinkModel(LinkTables tables, const Frame& frame) : tables_(std::move(tables)) {
    for (int mcs = 0; mcs < kMcsCount; ++mcs) {
        slot_bytes_[static_cast<std::size_t>(mcs)] = frame.block_bytes(mcs);
    }
}

EffectiveSinr LinkModel::effective_db(std::span<const double> sinr) const {
    std::array<double, kModulations> sum{};
    for (const double one : sinr) {
        const std::size_t index = nearest(10 * std::log10(std::max(one, 1e-30)));
        for (std::size_t m = 0; m < kModulations; ++m) sum[m] += tables_.information[m][index];
    }
    EffectiveSinr effective{};
    for (std::size_t m = 0; m < kModulations; ++m) {
        const auto& curve = tables_.information[m];
        const double mean = sum[m] / static_cast<double>(sinr.size()) - 1e-12;
        const auto found = std::lower_bound(curve.begin(), curve.end(), mean);
        effective[m] = LinkTables::sinr_db(std::min<std::size_t>(found - curve.begin(), curve.size() - 1));
    }
    return effective;
}

double LinkModel::block_error(int mcs, double effective_db, std::uint32_t bytes) const {
    const double one = tables_.code_block_error[static_cast<std::size_t>(mcs)][nearest(effective_db)];
    const int code_blocks = std::max(1, static_cast<int>(std::ceil(bytes * 8 / LinkTables::kCodeBlockBits)));
    return 1 - std::pow(1 - one, code_blocks);
}

double LinkModel::block_error(int mcs, double effective_db) const {
    return block_error(mcs, effective_db, slot_bytes_[static_cast<std::size_t>(mcs)]);
}

int LinkModel::choose_mcs(const EffectiveSinr& sinr_db) const {
    for (int mcs = kMcsCount - 1; mcs > 0; --mcs) {
        if (block_error(mcs, sinr_db[static_cast<std::size_t>(modulation(mcs))]) <= kTargetError) return mcs;
    }
    return 0;
}

bool LinkModel::in_range(const EffectiveSinr& sinr_db, int attempts) const {
    return block_error(0, sinr_db[0] + 10 * std::log10(attempts)) <= kTargetError;
}

}  // namespace mmwemu
