// SPDX-License-Identifier: GPL-2.0-only
#include "radio/file_channel.h"

#include <utility>

namespace mmwemu {

namespace {

Time duration(const Config& config) {
    return static_cast<Time>(config.bins()) * kMillisecond;
}

ChannelHeader describe(const Config& config, const Channel& channel) {
    ChannelHeader header;
    header.hash = config.channel.hash;
    header.seed = config.seed;
    header.bands = Channel::kBands;
    header.period = channel.period();
    header.samples = static_cast<std::uint64_t>((duration(config) + header.period - 1) / header.period);
    header.value_bytes = channel.single_precision() ? 4 : 8;
    return header;
}

}  // namespace

RecordedChannel::RecordedChannel(const Config& config, std::unique_ptr<Channel> inner)
    : inner_(std::move(inner)), writer_(config.channel.out_path, describe(config, *inner_)) {}

ChannelSample RecordedChannel::sample(Time now) {
    const ChannelSample sample = inner_->sample(now);
    writer_.write(sample.sight.los, sample.searching, sample.gain);
    return sample;
}

ReplayedChannel::ReplayedChannel(const Config& config)
    : reader_(config.channel.in_path, config.channel.hash, duration(config)) {
    if (reader_.header().bands != kBands) throw ChannelFileError(config.channel.in_path + ": has other bands");
}

ChannelSample ReplayedChannel::sample(Time) {
    const ChannelRecord& record = reader_.next();
    return {{record.los, 0}, record.gain, record.searching};
}

}  // namespace mmwemu
