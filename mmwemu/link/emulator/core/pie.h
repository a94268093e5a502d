// The AQM PIE (RFC 8033) on a FIFO queue.

#pragma once

#include <random>

#include "core/fifo.h"

namespace mmwemu {

/// PIE (RFC 8033, section 4): drops or marks arriving packets with a probability that a controller sets every 15 ms.
///
/// The controlled delay is the age of the oldest packet, which needs no estimate of the rate.
class PieQueue final : public FifoQueue {
  public:
    static constexpr Time kReference = 15'000'000;  ///< the target delay
    static constexpr Time kUpdate = 15'000'000;
    static constexpr Time kMaxBurst = 150'000'000;
    static constexpr double kAlphaHz = 0.125, kBetaHz = 1.25;
    static constexpr double kMarkBelow = 0.1;  ///< above this probability packets are dropped even with ECN (5.1)
    static constexpr std::uint64_t kMeanPacketBytes = 1500;

    PieQueue(const QueueSettings& settings, Bins* bins, Time epoch)
        : FifoQueue(settings, bins, epoch), random_(settings.seed), next_update_(epoch + kUpdate) {}
    void push(Time now, Item item) override;
    bool pop(Time now, bool whole, Item& item) override;
    double probability() const { return probability_; }

  private:
    void update_until(Time now);
    void update(Time now);
    bool strikes();

    std::mt19937_64 random_;
    Time next_update_;
    Time delay_ = 0, delay_before_ = 0;
    Time burst_ = kMaxBurst;  // no packet is dropped for this long
    double probability_ = 0;
};

}  // namespace mmwemu
