// SPDX-License-Identifier: GPL-2.0-only
// Path loss models of the mmWave channel.

#pragma once

#include "core/config.h"
#include "core/geometry.h"

namespace mmwemu {

/// Median path loss, dB, without shadowing.
///
/// Akdeniz et al. 2014, table I (28 GHz at any carrier); 3GPP TR 38.901, table 7.4.1-1, for the other two, where
/// heights below 1.5 m count as 1.5 m: the formulas are not defined below.
double path_loss_db(PathLoss model, double carrier_hz, const Point& base_station_m, const Point& ue_m, bool los);

}  // namespace mmwemu
