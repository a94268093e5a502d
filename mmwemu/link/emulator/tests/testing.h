#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "core/packet.h"
#include "core/schedule.h"

/// A few lines of test harness: TEST(name) { CHECK(...); }, all run by main().
struct TestCase {
    std::string name;
    std::function<void()> run;
};

inline std::vector<TestCase>& test_cases() {
    static std::vector<TestCase> cases;
    return cases;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct AddTest {
    AddTest(std::string name, std::function<void()> run) { test_cases().push_back({std::move(name), std::move(run)}); }
};

#define TEST(name)                                       \
    static void test_##name();                           \
    static const AddTest add_##name(#name, test_##name); \
    static void test_##name()

#define CHECK(condition)                                                                      \
    do {                                                                                      \
        if (!(condition)) {                                                                   \
            std::cerr << __FILE__ << ":" << __LINE__ << ": not true: " << #condition << "\n"; \
            ++failures();                                                                     \
        }                                                                                     \
    } while (false)

#define CHECK_NEAR(value, expected, tolerance)                                                                      \
    do {                                                                                                            \
        const double value_ = static_cast<double>(value), expected_ = static_cast<double>(expected);                \
        if (!(std::abs(value_ - expected_) <= (tolerance))) {                                                       \
            std::cerr << __FILE__ << ":" << __LINE__ << ": " << #value << " is " << value_ << ", not " << expected_ \
                      << "\n";                                                                                      \
            ++failures();                                                                                           \
        }                                                                                                           \
    } while (false)

namespace testing {

using namespace mmwemu;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr Time kMs = 1'000'000;

inline PacketRef plain(PacketPool& pool, std::uint32_t bytes) {
    PacketRef packet = pool.take(bytes);
    packet->length = bytes;
    return packet;
}

/// A super-packet with headers of 52 bytes and segments of 1500 but perhaps the last; its bytes are not TCP.
inline PacketRef super(PacketPool& pool, std::uint32_t payload_bytes) {
    PacketRef packet = pool.take(PacketPool::kLargeBytes);
    packet->header_bytes = 52;
    packet->mss = 1448;
    packet->length = 52 + payload_bytes;
    packet->segments = (payload_bytes + 1447) / 1448;
    return packet;
}

inline Schedule constant(double rate_bps, Time delay = 0, double loss = 0) {
    return Schedule({{0, rate_bps, delay, loss}}, kSecond, End::loop);
}

}  // namespace testing
