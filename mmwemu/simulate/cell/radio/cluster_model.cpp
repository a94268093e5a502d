// SPDX-License-Identifier: GPL-2.0-only
#include "radio/cluster_model.h"

#include <ns3/mobility-model.h>
#include <ns3/node.h>
#include <ns3/simulator.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace mmwemu {

namespace {

using Complex = std::complex<double>;
using Channel = ns3::MatrixBasedChannelModel::Complex3DVector;
constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kLightMps = 3e8;  // as in ns-3

/// The phase factors of the elements of an array, apart into real and imaginary parts so that loops become vectors.
struct Phases {
    explicit Phases(const ns3::PhasedArrayModel& array) {
        for (std::size_t i = 0; i < array.GetNumElems(); ++i) places.push_back(array.GetElementLocation(i));
        re.resize(places.size());
        im.resize(places.size());
    }

    void turn_to(double azimuth, double inclination) {
        const double x = std::sin(inclination) * std::cos(azimuth), y = std::sin(inclination) * std::sin(azimuth);
        const double z = std::cos(inclination);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const double phase = kTurn * (x * places[i].x + y * places[i].y + z * places[i].z);
            re[i] = std::cos(phase);
            im[i] = std::sin(phase);
        }
    }

    std::vector<ns3::Vector> places;
    std::vector<double> re, im;
};

/// Add factor * u * s^T to one page of the channel.
void add_ray(Channel& channel, std::size_t page, const Complex& factor, const Phases& u, const Phases& s) {
    const std::size_t n_u = u.re.size();
    for (std::size_t j = 0; j < s.re.size(); ++j) {
        const double re = factor.real() * s.re[j] - factor.imag() * s.im[j];
        const double im = factor.real() * s.im[j] + factor.imag() * s.re[j];
        auto* const column = reinterpret_cast<double*>(&channel(0, j, page));
        for (std::size_t i = 0; i < n_u; ++i) {
            column[2 * i] += re * u.re[i] - im * u.im[i];
            column[2 * i + 1] += re * u.im[i] + im * u.re[i];
        }
    }
}

/// Which of the three parts of a strong cluster a ray belongs to (TR 38.901, table 7.5-5).
int part(std::size_t ray) {
    if (ray >= 13 && ray <= 16) return 2;
    return (ray >= 9 && ray <= 12) || ray == 17 || ray == 18 ? 1 : 0;
}

void scale(Channel& channel, std::size_t page, double factor) {
    Complex* const values = channel.GetPagePtr(page);
    for (std::size_t i = 0; i < channel.GetNumRows() * channel.GetNumCols(); ++i) values[i] *= factor;
}

}  // namespace

ns3::Ptr<ns3::MatrixBasedChannelModel::ChannelMatrix> ClusterModel::GetNewChannel(
    ns3::Ptr<const ThreeGppChannelParams> drawn, ns3::Ptr<const ParamsTable> table,
    ns3::Ptr<const ns3::MobilityModel> s_place, ns3::Ptr<const ns3::MobilityModel> u_place,
    ns3::Ptr<const ns3::PhasedArrayModel> s_array, ns3::Ptr<const ns3::PhasedArrayModel> u_array) const {
    const std::size_t n = drawn->m_reducedClusterNumber, rays = table->m_raysPerCluster;
    const std::size_t pages = n + (drawn->m_cluster1st != drawn->m_cluster2nd ? 4 : 2);
    Channel channel(u_array->GetNumElems(), s_array->GetNumElems(), pages);
    Phases u(*u_array), s(*s_array);
    std::size_t next_part = n;
    for (std::size_t c = 0; c < n; ++c) {
        const bool strong = c == drawn->m_cluster1st || c == drawn->m_cluster2nd;
        for (std::size_t m = 0; m < rays; ++m) {
            u.turn_to(drawn->m_rayAoaRadian[c][m], drawn->m_rayZoaRadian[c][m]);
            s.turn_to(drawn->m_rayAodRadian[c][m], drawn->m_rayZodRadian[c][m]);
            const int at = strong ? part(m) : 0;
            add_ray(channel, at == 0 ? c : next_part + at - 1, std::polar(1.0, drawn->m_clusterPhase[c][m][0]), u, s);
        }
        const double amplitude = std::sqrt(drawn->m_clusterPower[c] / static_cast<double>(rays));
        scale(channel, c, amplitude);
        if (!strong) continue;
        scale(channel, next_part, amplitude);
        scale(channel, next_part + 1, amplitude);
        next_part += 2;
    }
    const ns3::Vector from = s_place->GetPosition(), to = u_place->GetPosition();
    if (drawn->m_losCondition == ns3::ChannelCondition::LOS) {
        const double k = std::pow(10, drawn->m_K_factor / 10);
        for (std::size_t page = 0; page < pages; ++page) scale(channel, page, std::sqrt(1 / (k + 1)));
        const ns3::Angles at_u(from, to), at_s(to, from);
        u.turn_to(at_u.GetAzimuth(), at_u.GetInclination());
        s.turn_to(at_s.GetAzimuth(), at_s.GetInclination());
        // ns-3 itself divides the amplitude by the loss in power.
        const double loss = std::pow(10, drawn->m_attenuation_dB[0] / 20);
        const double phase = -kTurn * ns3::CalculateDistance(from, to) * m_frequency / kLightMps;
        add_ray(channel, 0, std::polar(std::sqrt(k / (k + 1)) / loss, phase), u, s);
    }
    auto matrix = ns3::Create<ChannelMatrix>();
    matrix->m_generatedTime = ns3::Simulator::Now();
    matrix->m_nodeIds = {s_place->GetObject<ns3::Node>()->GetId(), u_place->GetObject<ns3::Node>()->GetId()};
    matrix->m_channel = std::move(channel);
    return matrix;
}

Draw ClusterModel::draw(const ns3::Ptr<ns3::MobilityModel>& base, const ns3::Ptr<ns3::MobilityModel>& ue) const {
    const auto condition = m_channelConditionModel->GetChannelCondition(base, ue);
    const auto table = GetThreeGppTable(base, ue, condition);
    const auto drawn = GenerateChannelParameters(condition, table, base, ue);
    const bool los = condition->IsLos();
    const double k = los ? std::pow(10, drawn->m_K_factor / 10) : 0;
    const std::size_t n = drawn->m_reducedClusterNumber, rays = table->m_raysPerCluster;

    Draw draw;
    draw.direct_power = k / (k + 1) * std::pow(10, -drawn->m_attenuation_dB[0] / 10);
    if (!los) {
        // The shortest of the exponential delays of (7.5-1), which (7.5-2) takes from all of them.
        draw.excess_m =
            -table->m_rTau * drawn->m_DS * std::log(m_uniformRv->GetValue(0, 1)) / table->m_numOfCluster * kLightMps;
    }
    draw.taps.resize(n);
    for (std::size_t c = 0; c < n; ++c) {
        const bool mirrored = m_uniformRv->GetValue(0, 1) < 0.5;
        const bool strong = c == drawn->m_cluster1st || c == drawn->m_cluster2nd;
        const std::size_t parts = draw.taps.size();
        if (strong) draw.taps.resize(parts + 2);
        for (std::size_t m = 0; m < rays; ++m) {
            const int at = strong ? part(m) : 0;
            DrawnTap& tap = draw.taps[at == 0 ? c : parts + at - 1];
            tap.mirrored = mirrored;
            tap.rays.push_back({unit(drawn->m_rayAodRadian[c][m], drawn->m_rayZodRadian[c][m]),
                                unit(drawn->m_rayAoaRadian[c][m], drawn->m_rayZoaRadian[c][m]),
                                drawn->m_clusterPhase[c][m][0],
                                drawn->m_clusterPower[c] / static_cast<double>(rays) / (k + 1)});
        }
    }
    for (std::size_t t = 0; t < draw.taps.size(); ++t) draw.taps[t].delay_s = drawn->m_delay[t];
    return draw;
}

}  // namespace mmwemu
