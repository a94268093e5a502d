// SPDX-License-Identifier: GPL-2.0-only
#include "transport/congestion_control.h"

#include <doctest/doctest.h>
#include <ns3/object-factory.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/tcp-socket-state.h>

using namespace mmwemu;

namespace {

constexpr std::uint32_t kSegment = 1'000;

/// The window, in segments, after one round trip in which `in_flight` of `window` segments were acknowledged one by
/// one.
std::uint32_t after_a_round(CongestionControl control, std::uint32_t window, std::uint32_t threshold,
                            std::uint32_t in_flight) {
    ns3::ObjectFactory factory;
    factory.SetTypeId(congestion_control_type(control));
    const auto ops = factory.Create<ns3::TcpCongestionOps>()->Fork();
    const auto state = ns3::CreateObject<ns3::TcpSocketState>();
    state->m_segmentSize = kSegment;
    state->m_cWnd = window * kSegment;
    state->m_ssThresh = threshold * kSegment;
    ops->Init(state);
    for (std::uint32_t i = 0; i < in_flight; ++i) {
        // What was acknowledged has been replaced, but for the last.
        state->m_bytesInFlight = (in_flight - 1) * kSegment;
        ops->IncreaseWindow(state, 1);
    }
    return state->m_cWnd / kSegment;
}

}  // namespace

TEST_CASE("a window that limits the sender opens, one that does not stays") {
    for (const auto control : {CongestionControl::kNewReno, CongestionControl::kCubic}) {
        CAPTURE(static_cast<int>(control));
        // Slow start doubles the window, up to twice what is in flight.
        CHECK(after_a_round(control, 100, 1'000, 100) >= 198);
        CHECK(after_a_round(control, 100, 1'000, 60) == 120);
        CHECK(after_a_round(control, 100, 1'000, 50) == 100);
        CHECK(after_a_round(control, 100, 100, 60) == 100);
    }
    CHECK(after_a_round(CongestionControl::kNewReno, 100, 100, 100) == 101);
}
