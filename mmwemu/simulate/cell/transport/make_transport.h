// SPDX-License-Identifier: GPL-2.0-only
// The transport that a configuration asks for.

#pragma once

#include <memory>

#include "core/config.h"
#include "transport/transport.h"

namespace mmwemu {

/// The transport of one of the configuration's UEs.
std::unique_ptr<Transport> make_transport(const Config& config, const UeConfig& ue);

}  // namespace mmwemu
