// SPDX-License-Identifier: GPL-2.0-only
// The LTE cell, on ns-3's LENA.

#pragma once

#include <functional>

#include "core/config.h"
#include "core/recorder.h"

namespace mmwemu {

/// One eNB with one UE over LENA's full stack with EPC: UDP from a remote host, RLC AM, hybrid buildings path loss.
void run_lte_cell(const Config& config, Recorder& recorder, const std::function<void(Time)>& on_progress);

}  // namespace mmwemu
