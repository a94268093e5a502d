// SPDX-License-Identifier: GPL-2.0-only
// What records of a configuration ask of each other.

#pragma once

#include <string>

#include "core/config.h"

namespace mmwemu {

/// Throw ConfigError if records do not go together; `name` is that of the file.
void check_together(const std::string& name, const Config& config);

}  // namespace mmwemu
