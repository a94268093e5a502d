// SPDX-License-Identifier: GPL-2.0-only
// Transport `lite`: UDP at a constant rate, without packets of ns-3.

#pragma once

#include <optional>
#include <utility>

#include "core/config.h"
#include "core/source.h"
#include "transport/transport.h"

namespace mmwemu {

/// UDP at a constant rate in each direction, each packet accounted by itself.
class LiteTransport : public Transport {
  public:
    LiteTransport(const Config& config, const UeConfig& ue) {
        if (ue.rate_bps > 0) {
            remote_host_.emplace(ue.rate_bps, config.payload_bytes, ue.traffic_start, config.core_delay);
        }
        if (ue.uplink_rate_bps > 0) ue_.emplace(ue.uplink_rate_bps, config.payload_bytes, ue.traffic_start, 0);
    }

    void connect(Push downlink, Push uplink) override {
        downlink_ = std::move(downlink);
        uplink_ = std::move(uplink);
    }
    bool has_events() const override { return false; }
    void arrive(Time now) override {
        for (Sdu packet; remote_host_ && remote_host_->take(now, packet);) downlink_(now, packet);
        for (Sdu packet; ue_ && ue_->take(now, packet);) uplink_(now, packet);
    }
    void reached_ue(Time, const Sdu&) override {}
    void reached_base_station(Time, const Sdu&) override {}

  private:
    std::optional<CbrSource> remote_host_, ue_;
    Push downlink_, uplink_;
};

}  // namespace mmwemu
