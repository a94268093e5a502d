// SPDX-License-Identifier: GPL-2.0-only
#include "transport/congestion_control.h"

#include <ns3/tcp-bbr.h>
#include <ns3/tcp-cubic.h>
#include <ns3/tcp-linux-reno.h>
#include <ns3/tcp-socket-state.h>

#include <string>

namespace mmwemu {

namespace {

/// Whether the window has limited the sender: in slow start, more than half of it has been in flight, else all of it
/// (tcp_is_cwnd_limited of Linux).
bool is_limited(const ns3::TcpSocketState& state, std::uint32_t segments_acked) {
    const std::uint64_t in_flight = std::uint64_t{state.m_bytesInFlight.Get()} + segments_acked * state.m_segmentSize;
    const std::uint64_t window = state.m_cWnd.Get();
    if (window < state.m_ssThresh.Get()) return window < 2 * in_flight;
    return window < in_flight + state.m_segmentSize;
}

template <typename Base>
class Validated : public Base {
  public:
    static ns3::TypeId GetTypeId() {
        static const ns3::TypeId id = ns3::TypeId("mmwemu::" + Base::GetTypeId().GetName())
                                          .template SetParent<Base>()
                                          .template AddConstructor<Validated>();
        return id;
    }
    ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }

    void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> state, std::uint32_t segments_acked) override {
        // ns-3's own flag is set while a slow source leaves the window open, and not while a paced one fills it.
        state->m_isCwndLimited = is_limited(*state, segments_acked);
        if (state->m_isCwndLimited) Base::IncreaseWindow(state, segments_acked);
    }
    ns3::Ptr<ns3::TcpCongestionOps> Fork() override { return ns3::CopyObject<Validated>(this); }
};

}  // namespace

ns3::TypeId congestion_control_type(CongestionControl control) {
    switch (control) {
        case CongestionControl::kNewReno:
            return Validated<ns3::TcpLinuxReno>::GetTypeId();
        case CongestionControl::kBbr:
            return ns3::TcpBbr::GetTypeId();
        default:
            return Validated<ns3::TcpCubic>::GetTypeId();
    }
}

}  // namespace mmwemu
