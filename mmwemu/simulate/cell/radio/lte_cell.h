// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>

#include "core/config.h"
#include "core/recorder.h"

namespace mmwemu {

/// E-UTRA channel number (TS 36.101, clause 5.7.3) of a downlink carrier, by its 100 kHz raster.
/// ConfigError for a carrier in none of the bands known here.
std::uint32_t downlink_earfcn(double carrier_hz);

/// One eNB with one UE over LENA's full stack with EPC: UDP from a remote host, RLC AM, hybrid buildings path loss.
void run_lte_cell(const Config& config, Recorder& recorder, const std::function<void(Time)>& on_progress);

}  // namespace mmwemu
