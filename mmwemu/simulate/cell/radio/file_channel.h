// SPDX-License-Identifier: GPL-2.0-only
// Channels that are written to a file, or come from one.

#pragma once

#include <memory>

#include "core/channel_file.h"
#include "core/config.h"
#include "radio/channel.h"

namespace mmwemu {

/// Writes what another channel gives.
class RecordedChannel : public Channel {
  public:
    RecordedChannel(const Config& config, std::unique_ptr<Channel> inner);

    ChannelSample sample(Time now) override;
    Time period() const override { return inner_->period(); }
    bool single_precision() const override { return inner_->single_precision(); }

  private:
    std::unique_ptr<Channel> inner_;
    ChannelFileWriter writer_;
};

/// Gives what a file holds, sample by sample.
class ReplayedChannel : public Channel {
  public:
    explicit ReplayedChannel(const Config& config);

    ChannelSample sample(Time now) override;
    Time period() const override { return reader_.header().period; }

  private:
    ChannelFileReader reader_;
};

}  // namespace mmwemu
