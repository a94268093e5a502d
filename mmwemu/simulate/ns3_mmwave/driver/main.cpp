// SPDX-License-Identifier: GPL-2.0-only
// Simulate one UE of a scenario with a user's build of ns3-mmwave: driver SETTINGS OUT-BINS. The module writes its own
// RxPacketTrace.txt into the working folder. Exit code 0 done, 1 failed, 2 usage or settings.

#include <ns3/boolean.h>
#include <ns3/config.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/mmwave-helper.h>
#include <ns3/mmwave-point-to-point-epc-helper.h>
#include <ns3/mobility-helper.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>
#include <ns3/waypoint-mobility-model.h>

#include <cstdio>
#include <exception>
#include <fstream>

#include "channel.h"
#include "settings.h"
#include "traffic.h"

namespace {

using namespace mmwemu;
using ns3::Config::SetDefault;

constexpr double kProgressStepS = 0.1;

void configure(const Settings& settings) {
    ns3::RngSeedManager::SetRun(settings.seed);
    SetDefault("ns3::MmWavePhyMacCommon::Numerology",
               ns3::StringValue("NrNumerology" + std::to_string(settings.numerology)));
    SetDefault("ns3::MmWavePhyMacCommon::Bandwidth", ns3::DoubleValue(settings.bandwidth_hz));
    SetDefault("ns3::MmWavePhyMacCommon::CenterFreq", ns3::DoubleValue(settings.carrier_hz));
    SetDefault("ns3::ThreeGppChannelModel::Scenario",
               ns3::StringValue(settings.path_loss == "uma" ? "UMa" : "UMi-StreetCanyon"));
    SetDefault("ns3::ThreeGppChannelModel::UpdatePeriod", ns3::TimeValue(ns3::Seconds(settings.channel_update_s)));
    SetDefault("ns3::MmWaveEnbPhy::TxPower", ns3::DoubleValue(settings.power_dbm));
    SetDefault("ns3::MmWaveUePhy::NoiseFigure", ns3::DoubleValue(settings.noise_figure_db));
    // The error model by mutual information, as mmwemu-cell has it, for blocks and for the choice of the MCS.
    const auto error_model = ns3::StringValue("ns3::MmWaveLteMiErrorModel");
    SetDefault("ns3::MmWaveAmc::ErrorModelType", error_model);
    SetDefault("ns3::MmWaveSpectrumPhy::ErrorModelType", error_model);
    SetDefault("ns3::MmWaveHelper::RlcAmEnabled", ns3::BooleanValue(true));
    SetDefault("ns3::MmWaveHelper::HarqEnabled", ns3::BooleanValue(settings.harq));
    SetDefault("ns3::MmWaveFlexTtiMacScheduler::HarqEnabled", ns3::BooleanValue(settings.harq));
    SetDefault("ns3::LteRlcAm::MaxTxBufferSize", ns3::UintegerValue(settings.rlc_buffer_bytes));
    SetDefault("ns3::LteRlcAm::ReportBufferStatusTimer", ns3::TimeValue(ns3::MicroSeconds(100)));
    SetDefault("ns3::LteRlcAm::PollRetransmitTimer", ns3::TimeValue(ns3::Seconds(settings.poll_retransmit_s)));
    SetDefault("ns3::LteRlcAm::ReorderingTimer", ns3::TimeValue(ns3::Seconds(settings.reordering_s)));
    SetDefault("ns3::LteRlcAm::StatusProhibitTimer", ns3::TimeValue(ns3::Seconds(settings.status_prohibit_s)));
    SetDefault("ns3::MmWavePointToPointEpcHelper::S1uLinkDelay", ns3::TimeValue(ns3::Seconds(0)));
    SetDefault("ns3::MmWavePointToPointEpcHelper::S1uLinkDataRate", ns3::StringValue("100Gb/s"));
}

ns3::Ptr<ns3::mmwave::MmWaveHelper> make_helper(const Settings& settings) {
    auto helper = ns3::CreateObject<ns3::mmwave::MmWaveHelper>();
    helper->SetChannelConditionModelType("mmwemu::RayCondition");
    helper->SetPathlossModelType("mmwemu::RayLoss");
    helper->SetBeamformingModelType(settings.beam == "svd" ? "ns3::MmWaveSvdBeamforming" : "ns3::MmWaveDftBeamforming");
    helper->SetEnbPhasedArrayModelAttribute("NumRows", ns3::UintegerValue(settings.gnb_rows));
    helper->SetEnbPhasedArrayModelAttribute("NumColumns", ns3::UintegerValue(settings.gnb_columns));
    helper->SetUePhasedArrayModelAttribute("NumRows", ns3::UintegerValue(settings.ue_rows));
    helper->SetUePhasedArrayModelAttribute("NumColumns", ns3::UintegerValue(settings.ue_columns));
    return helper;
}

void place(const Settings& settings, ns3::NodeContainer station, ns3::NodeContainer ue) {
    ns3::MobilityHelper mobility;
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(station);
    const Waypoint& at = settings.base_station;
    station.Get(0)->GetObject<ns3::MobilityModel>()->SetPosition(ns3::Vector(at.x_m, at.y_m, at.z_m));
    mobility.SetMobilityModel("ns3::WaypointMobilityModel", "InitialPositionIsWaypoint", ns3::BooleanValue(false));
    mobility.Install(ue);
    auto moving = ue.Get(0)->GetObject<ns3::WaypointMobilityModel>();
    for (const Waypoint& to : settings.route) {
        moving->AddWaypoint(ns3::Waypoint(ns3::Seconds(to.time_s), ns3::Vector(to.x_m, to.y_m, to.z_m)));
    }
}

void show_progress(double total_s) {
    std::fprintf(stderr, "progress %.3f %.3f\n", ns3::Simulator::Now().GetSeconds(), total_s);
    ns3::Simulator::Schedule(ns3::Seconds(kProgressStepS), &show_progress, total_s);
}

void run(const Settings& settings, const char* bins_path) {
    use_settings(settings);
    configure(settings);
    auto helper = make_helper(settings);
    auto epc = ns3::CreateObject<ns3::mmwave::MmWavePointToPointEpcHelper>();
    helper->SetEpcHelper(epc);

    ns3::NodeContainer remote, station, ue;
    remote.Create(1);
    station.Create(1);
    ue.Create(1);
    place(settings, station, ue);

    ns3::InternetStackHelper internet;
    internet.Install(remote);
    ns3::PointToPointHelper wire;
    wire.SetDeviceAttribute("DataRate", ns3::StringValue("100Gb/s"));
    wire.SetDeviceAttribute("Mtu", ns3::UintegerValue(65'000));
    wire.SetChannelAttribute("Delay", ns3::TimeValue(ns3::Seconds(settings.core_delay_s)));
    ns3::Ipv4AddressHelper addresses("1.0.0.0", "255.0.0.0");
    addresses.Assign(wire.Install(epc->GetPgwNode(), remote.Get(0)));
    ns3::Ipv4StaticRoutingHelper routing;
    routing.GetStaticRouting(remote.Get(0)->GetObject<ns3::Ipv4>())
        ->AddNetworkRouteTo(ns3::Ipv4Address("7.0.0.0"), ns3::Ipv4Mask("255.0.0.0"), 1);

    const ns3::NetDeviceContainer station_device = helper->InstallEnbDevice(station);
    const ns3::NetDeviceContainer ue_device = helper->InstallUeDevice(ue);
    internet.Install(ue);
    const auto ue_interface = epc->AssignUeIpv4Address(ue_device);
    helper->AttachToClosestEnb(ue_device, station_device);
    helper->EnableDlPhyTrace();
    helper->EnableUlPhyTrace();

    Traffic traffic(settings);
    traffic.install(remote.Get(0), ue.Get(0), ue_interface.GetAddress(0));
    ns3::Simulator::Schedule(ns3::Seconds(0), &show_progress, settings.duration_s);
    ns3::Simulator::Stop(ns3::Seconds(settings.duration_s));
    ns3::Simulator::Run();
    traffic.write(bins_path);
    ns3::Simulator::Destroy();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "driver: usage: driver SETTINGS OUT-BINS\n");
        return 2;
    }
    try {
        std::ifstream in(argv[1]);
        run(read_settings(in), argv[2]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "driver: %s\n", error.what());
        return 1;
    }
    return 0;
}
