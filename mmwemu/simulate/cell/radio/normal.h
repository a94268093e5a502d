// SPDX-License-Identifier: GPL-2.0-only
// Draws for the pure code, from ns-3's streams.

#pragma once

#include <ns3/random-variable-stream.h>

#include "core/shadowing.h"

namespace mmwemu {

/// The standard normal distribution from one random stream.
inline Normal make_normal(std::int64_t stream) {
    auto draw = ns3::CreateObject<ns3::NormalRandomVariable>();
    draw->SetStream(stream);
    return [draw] { return draw->GetValue(); };
}

}  // namespace mmwemu
