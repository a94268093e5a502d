// SPDX-License-Identifier: GPL-2.0-only
// Tables of ns-3's mutual-information error model.

#pragma once

#include "core/link_model.h"

namespace mmwemu {

/// Tabulate the mutual-information error model of ns-3's LTE module for one code block of the largest size.
LinkTables tabulate_lte_error_model();

}  // namespace mmwemu
