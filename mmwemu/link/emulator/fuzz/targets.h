// The fuzz targets; each takes any bytes, and a failed check aborts. tests/fuzz_test.cpp runs them over fuzz/seeds.

#pragma once

#include <cstddef>
#include <cstdint>

/// Messages of the parent process through a control socket, and the text of replays.
void fuzz_messages(const std::uint8_t* data, std::size_t size);

/// TCP packets of any content through the proxy at the base station, both ways.
void fuzz_proxy(const std::uint8_t* data, std::size_t size);

/// Packets of any content on a path of any settings, from one device to the other.
void fuzz_packets(const std::uint8_t* data, std::size_t size);
