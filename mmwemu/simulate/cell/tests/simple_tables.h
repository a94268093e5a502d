// SPDX-License-Identifier: GPL-2.0-only
// An error model that can be computed in one's head.

#pragma once

#include "core/link_model.h"

namespace mmwemu {

/// Information that grows evenly from -20 to 40 dB, and an MCS that is sure from 1 dB a step above -10 dB on.
inline LinkTables simple_tables() {
    LinkTables tables;
    for (std::size_t i = 0; i < LinkTables::kSize; ++i) {
        for (auto& curve : tables.information) curve[i] = static_cast<double>(i) / (LinkTables::kSize - 1);
        for (int mcs = 0; mcs < kMcsCount; ++mcs) {
            tables.code_block_error[static_cast<std::size_t>(mcs)][i] = LinkTables::sinr_db(i) >= mcs - 10 ? 0 : 1;
        }
    }
    return tables;
}

}  // namespace mmwemu
