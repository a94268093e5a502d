// SPDX-License-Identifier: GPL-2.0-only
#include "radio/lte_cell.h"

#include <ns3/building.h>
#include <ns3/buildings-helper.h>
#include <ns3/config.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/hybrid-buildings-propagation-loss-model.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/lte-enb-rrc.h>
#include <ns3/lte-helper.h>
#include <ns3/lte-ue-net-device.h>
#include <ns3/lte-ue-phy.h>
#include <ns3/lte-ue-rrc.h>
#include <ns3/point-to-point-epc-helper.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>
#include <ns3/uinteger.h>

#include <cmath>

#include "radio/lte_feed.h"
#include "radio/mobility.h"

namespace mmwemu {

namespace {

constexpr std::uint16_t kPort = 5000;
// Band 1 of TS 36.101: 2120 MHz down, 1930 MHz up.
constexpr std::uint32_t kDownlinkEarfcn = 100, kUplinkEarfcn = 18'100;
constexpr std::uint32_t kLinkMtuBytes = 10'000;

void set_defaults(const Config& config) {
    ns3::Config::SetDefault("ns3::LteEnbRrc::EpsBearerToRlcMapping",
                            ns3::EnumValue<ns3::LteEnbRrc::LteEpsBearerToRlcMapping_t>(ns3::LteEnbRrc::RLC_AM_ALWAYS));
    ns3::Config::SetDefault("ns3::LteRlcAm::MaxTxBufferSize",
                            ns3::UintegerValue(static_cast<std::uint32_t>(config.rlc_buffer_bytes)));
    ns3::Config::SetDefault("ns3::LteEnbPhy::TxPower", ns3::DoubleValue(config.power_dbm));
}

ns3::Ptr<ns3::LteHelper> make_helper(const Config& config, const ns3::Ptr<ns3::EpcHelper>& epc) {
    auto helper = ns3::CreateObject<ns3::LteHelper>();
    helper->SetEpcHelper(epc);
    helper->SetPathlossModelType(ns3::HybridBuildingsPropagationLossModel::GetTypeId());
    helper->SetPathlossModelAttribute("ShadowSigmaExtWalls", ns3::DoubleValue(0));
    helper->SetPathlossModelAttribute("ShadowSigmaOutdoor", ns3::DoubleValue(6));
    helper->SetPathlossModelAttribute("ShadowSigmaIndoor", ns3::DoubleValue(8));
    helper->SetEnbDeviceAttribute("DlBandwidth", ns3::UintegerValue(config.lte_resource_blocks));
    helper->SetEnbDeviceAttribute("UlBandwidth", ns3::UintegerValue(config.lte_resource_blocks));
    helper->SetEnbDeviceAttribute("DlEarfcn", ns3::UintegerValue(kDownlinkEarfcn));
    helper->SetEnbDeviceAttribute("UlEarfcn", ns3::UintegerValue(kUplinkEarfcn));
    helper->SetUeDeviceAttribute("DlEarfcn", ns3::UintegerValue(kDownlinkEarfcn));
    return helper;
}

void build(const std::vector<Box>& boxes) {
    for (const Box& box : boxes) {
        auto building = ns3::CreateObject<ns3::Building>();
        building->SetBoundaries(ns3::Box(box.low.x, box.high.x, box.low.y, box.high.y, box.low.z, box.high.z));
    }
}

class LteCell {
  public:
    LteCell(const Config& config, Recorder& recorder);
    void run(const std::function<void(Time)>& on_progress);

  private:
    void connect_core(const ns3::Ptr<ns3::Node>& remote);
    void open_sockets(const ns3::Ptr<ns3::Node>& remote, const ns3::Ipv4Address& ue_address);
    void trace_phy();
    void tick(const std::function<void(Time)>& on_progress);
    void on_sinr(std::uint16_t, std::uint16_t, double, double sinr, std::uint8_t);
    void on_block(ns3::PhyReceptionStatParameters block);
    void on_packet(ns3::Ptr<ns3::Socket> socket);
    static Time now() { return ns3::Simulator::Now().GetNanoSeconds(); }

    const Config& config_;
    Route route_;
    Recorder& recorder_;
    LteFeed feed_;
    ns3::Ptr<ns3::PointToPointEpcHelper> epc_;  // both dispose of their nodes on destruction
    ns3::Ptr<ns3::LteHelper> helper_;
    ns3::Ptr<ns3::Node> enb_node_, ue_node_;
    ns3::Ptr<ns3::LteUeNetDevice> ue_;
    ns3::Ptr<ns3::Socket> sender_, receiver_;
};

LteCell::LteCell(const Config& config, Recorder& recorder)
    : config_(config),
      route_(config.ues.front().route),
      recorder_(recorder),
      // The core delay is in the arrival times, so that the feed sees the eNB's buffer as it is on arrival.
      feed_(CbrSource(config.rate_bps, config.payload_bytes, config.traffic_start, config.core_delay),
            config.rlc_buffer_bytes, recorder),
      enb_node_(ns3::CreateObject<ns3::Node>()),
      ue_node_(ns3::CreateObject<ns3::Node>()) {
    set_defaults(config);
    epc_ = ns3::CreateObject<ns3::PointToPointEpcHelper>();
    epc_->SetAttribute("S1uLinkMtu", ns3::UintegerValue(kLinkMtuBytes));
    helper_ = make_helper(config, epc_);
    build(config.boxes);
    place(enb_node_, config.base_station_m);
    follow(ue_node_, config.ues.front().route);
    ns3::BuildingsHelper::Install(enb_node_);
    ns3::BuildingsHelper::Install(ue_node_);

    const auto remote = ns3::CreateObject<ns3::Node>();
    ns3::InternetStackHelper internet;
    internet.Install(remote);
    internet.Install(ue_node_);
    connect_core(remote);

    const ns3::NetDeviceContainer enb_device = helper_->InstallEnbDevice(enb_node_);
    const ns3::NetDeviceContainer ue_device = helper_->InstallUeDevice(ue_node_);
    std::int64_t stream = 1;
    stream += helper_->AssignStreams(enb_device, stream);
    stream += helper_->AssignStreams(ue_device, stream);
    internet.AssignStreams({remote, ue_node_}, stream);
    const ns3::Ipv4Address ue_address = epc_->AssignUeIpv4Address(ue_device).GetAddress(0);
    ns3::Ipv4StaticRoutingHelper routing;
    routing.GetStaticRouting(ue_node_->GetObject<ns3::Ipv4>())->SetDefaultRoute(epc_->GetUeDefaultGatewayAddress(), 1);
    helper_->Attach(ue_device.Get(0), enb_device.Get(0));
    ue_ = ns3::DynamicCast<ns3::LteUeNetDevice>(ue_device.Get(0));
    open_sockets(remote, ue_address);
    trace_phy();
}

void LteCell::connect_core(const ns3::Ptr<ns3::Node>& remote) {
    ns3::PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate("100Gb/s")));
    wire.SetDeviceAttribute("Mtu", ns3::UintegerValue(kLinkMtuBytes));
    const ns3::NetDeviceContainer ends = wire.Install(epc_->GetPgwNode(), remote);
    ns3::Ipv4AddressHelper addresses;
    addresses.SetBase("1.0.0.0", "255.0.0.0");
    addresses.Assign(ends);
    ns3::Ipv4StaticRoutingHelper routing;
    routing.GetStaticRouting(remote->GetObject<ns3::Ipv4>())
        ->AddNetworkRouteTo(ns3::Ipv4Address("7.0.0.0"), ns3::Ipv4Mask("255.0.0.0"), 1);
}

void LteCell::open_sockets(const ns3::Ptr<ns3::Node>& remote, const ns3::Ipv4Address& ue_address) {
    sender_ = ns3::Socket::CreateSocket(remote, ns3::UdpSocketFactory::GetTypeId());
    sender_->Bind();
    sender_->Connect(ns3::InetSocketAddress(ue_address, kPort));
    receiver_ = ns3::Socket::CreateSocket(ue_node_, ns3::UdpSocketFactory::GetTypeId());
    receiver_->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
    receiver_->SetRecvCallback(ns3::MakeCallback(&LteCell::on_packet, this));
}

void LteCell::trace_phy() {
    ue_->GetPhy()->TraceConnectWithoutContext("ReportCurrentCellRsrpSinr", ns3::MakeCallback(&LteCell::on_sinr, this));
    ue_->GetPhy()->GetDlSpectrumPhy()->TraceConnectWithoutContext("DlPhyReception",
                                                                  ns3::MakeCallback(&LteCell::on_block, this));
}

void LteCell::run(const std::function<void(Time)>& on_progress) {
    for (std::size_t bin = 0; bin < recorder_.size(); ++bin) {
        ns3::Simulator::Schedule(ns3::MilliSeconds(bin), [this, &on_progress] { tick(on_progress); });
    }
    ns3::Simulator::Stop(ns3::MilliSeconds(recorder_.size()));
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
}

void LteCell::tick(const std::function<void(Time)>& on_progress) {
    Bin& bin = recorder_.at(now());
    bin.los = look(config_.boxes, config_.base_station_m, position_now(route_)).los ? 1 : 0;
    if (ue_->GetRrc()->GetState() == ns3::LteUeRrc::CONNECTED_NORMALLY) feed_.tick(now(), *sender_);
    bin.queue_bytes = static_cast<double>(feed_.queue_bytes());
    on_progress(now() + Recorder::kBin);
}

void LteCell::on_sinr(std::uint16_t, std::uint16_t, double, double sinr, std::uint8_t) {
    recorder_.at(now()).sinr_db = 10 * std::log10(std::max(sinr, 1e-30));
}

void LteCell::on_block(ns3::PhyReceptionStatParameters block) {
    Bin& bin = recorder_.at(now());
    bin.mcs = block.m_mcs;
    if (block.m_correctness != 0) bin.phy_bits += block.m_size * 8.0;
}

void LteCell::on_packet(ns3::Ptr<ns3::Socket> socket) {
    while (const ns3::Ptr<ns3::Packet> packet = socket->Recv()) feed_.received(now(), packet_id(*packet));
}

}  // namespace

void run_lte_cell(const Config& config, Recorder& recorder, const std::function<void(Time)>& on_progress) {
    LteCell(config, recorder).run(on_progress);
}

}  // namespace mmwemu
