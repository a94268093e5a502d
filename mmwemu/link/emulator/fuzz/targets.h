#pragma once

#include <cstddef>
#include <cstdint>

// What is fuzzed. Each takes any bytes; a failed check aborts. tests/fuzz_test.cpp runs them over fuzz/seeds.

/// Messages of the parent process through a control socket, and the text of replays.
void fuzz_messages(const std::uint8_t* data, std::size_t size);

/// Packets of any content through a link of any settings, as from one device to the other.
void fuzz_packets(const std::uint8_t* data, std::size_t size);
