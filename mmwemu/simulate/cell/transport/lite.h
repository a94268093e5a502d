// SPDX-License-Identifier: GPL-2.0-only
// Transport `lite`: UDP at a constant rate, without packets of ns-3.

#pragma once

#include <utility>

#include "core/config.h"
#include "core/source.h"
#include "transport/transport.h"

namespace mmwemu {

/// UDP at a constant rate, each packet accounted by itself; nothing goes up.
class LiteTransport : public Transport {
  public:
    explicit LiteTransport(const Config& config)
        : source_(config.rate_bps, config.payload_bytes, config.traffic_start, config.core_delay) {}

    void connect(Push downlink, Push) override { downlink_ = std::move(downlink); }
    bool has_events() const override { return false; }
    void arrive(Time now) override {
        for (Sdu packet; source_.take(now, packet);) downlink_(now, packet);
    }
    void reached_ue(Time, const Sdu&) override {}
    void reached_base_station(Time, const Sdu&) override {}

  private:
    CbrSource source_;
    Push downlink_;
};

}  // namespace mmwemu
