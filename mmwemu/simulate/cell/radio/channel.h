// SPDX-License-Identifier: GPL-2.0-only
// What the cell asks of a radio channel.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/config.h"
#include "core/geometry.h"
#include "core/time.h"

namespace mmwemu {

/// The state of a channel at one instant.
struct ChannelSample {
    Sight sight;
    std::span<const double> gain;  // linear, by band: received over transmitted power; valid until the next sample
    bool searching = false;        // beams are being searched, nothing can be sent
};

/// The radio channel between the base station and one UE, the same in both directions.
///
/// A gain holds path loss, fading and the beams at both ends; power and noise are the caller's (core/link_budget.h).
class Channel {
  public:
    static constexpr int kBands = 72;

    virtual ~Channel() = default;

    /// The channel at `now`; times must not run backwards, and be at most 1 ms ahead of the simulator's.
    virtual ChannelSample sample(Time now) = 0;

    /// How often it is to be sampled.
    virtual Time period() const { return kMillisecond; }
};

/// The channel that the configuration asks for, to a UE on `route`; `stream` is its first random stream.
std::unique_ptr<Channel> make_channel(const Config& config, const std::vector<Waypoint>& route, std::int64_t stream);

/// Random streams that one channel may use.
constexpr std::int64_t kStreamsPerChannel = 200;

}  // namespace mmwemu
