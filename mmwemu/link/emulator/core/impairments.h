// Random impairments and packet events: loss, duplication, bit errors, reordering, jitter, delay.

#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "core/schedule.h"
#include "core/time.h"

namespace mmwemu {

enum class Action { lose, duplicate, corrupt, delay };

/// An impairment that the pattern sets for one packet by its number.
struct PacketEvent {
    std::uint64_t number = 0;  ///< counted from 1 by arrival at the bottleneck since the epoch
    Action action = Action::lose;
    Time delay = 0;  ///< of Action::delay
};

/// The impairments of one packet.
struct Fate {
    bool lost = false;
    bool duplicated = false;
    bool overtakes = false;                          ///< skips the step's delay
    Time jitter = 0;                                 ///< added to the step's delay; may be negative
    Time delay = 0;                                  ///< added for this packet alone; later packets do not wait for it
    std::span<const std::uint32_t> wrong_bits = {};  ///< rising; valid up to the next call
};

/// Draws the fates of the packets of one direction, in the order in which they leave the bottleneck.
///
/// Each effect has its own generator, so that adding one effect does not change the others.
class Impairments {
  public:
    /// The numbers of `events` must not fall.
    Impairments(std::uint64_t seed, std::vector<PacketEvent> events);

    /// Whether any of `count` packets from `number` on may be impaired.
    bool touch(const Span& span, std::uint64_t number, std::uint32_t count);

    /// Draw the fate of the next packet, of `bytes` bytes; packets that touch() rules out may be skipped.
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
