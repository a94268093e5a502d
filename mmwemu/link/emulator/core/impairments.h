#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/schedule.h"
#include "core/time.h"

namespace mmwemu {

enum class Action { lose, duplicate, corrupt, delay };

/// What the pattern does to one packet, told by its number.
struct PacketEvent {
    std::uint64_t number = 0;  ///< from 1, as packets come to the bottleneck from the pattern's start on
    Action action = Action::lose;
    Time delay = 0;  ///< of Action::delay
};

/// What befalls one packet.
struct Fate {
    bool lost = false;
    bool duplicated = false;
    bool overtakes = false;                          ///< goes without the step's delay
    Time jitter = 0;                                 ///< added to the step's delay, or taken off it
    Time delay = 0;                                  ///< added for this packet alone; those behind do not wait for it
    std::span<const std::uint32_t> wrong_bits = {};  ///< rising; valid up to the next call
};

/// Draws what befalls the packets of one direction, in the order in which they leave the bottleneck.
///
/// Each effect has a generator of its own, so that one more effect does not change the others.
class Impairments {
  public:
    /// `events` rise by number.
    Impairments(std::uint64_t seed, std::vector<PacketEvent> events);

    /// Whether something may befall `count` packets from `number` on.
    bool touch(const Span& span, std::uint64_t number, std::uint32_t count);

    /// The fate of the next packet, of `bytes` bytes; those that touch() says no to may be left out.
    Fate next(const Span& span, std::uint64_t number, std::uint32_t bytes);

  private:
    bool lost(const Span& span);
    void draw_wrong_bits(double bit_error, std::uint32_t bits);

    std::vector<PacketEvent> events_;
    std::mt19937_64 loss_, state_, jitter_, duplication_, errors_, reordering_;
    bool bad_ = false;  // the state of the loss model
    std::vector<std::uint32_t> wrong_bits_;
};

}  // namespace mmwemu
