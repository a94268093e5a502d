// SPDX-License-Identifier: GPL-2.0-only
// Congestion control of TCP.

#pragma once

#include <ns3/type-id.h>

#include "core/config.h"

namespace mmwemu {

/// The congestion control of ns-3 that stands for this one.
///
/// NewReno and CUBIC open the window only while it limits the sender (RFC 9293, section 3.8.6.1, and RFC 7661, as in
/// Linux); those of ns-3 alone go on while the source is slower than the window, to hundreds of megabytes.
ns3::TypeId congestion_control_type(CongestionControl control);

}  // namespace mmwemu
