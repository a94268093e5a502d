// SPDX-License-Identifier: GPL-2.0-only
#include "radio/beam_keeper.h"

#include <algorithm>
#include <utility>

#include "radio/eigenbeam.h"

namespace mmwemu {

namespace {

constexpr Time kDftPeriod = 20 * kMillisecond;

Weights to_weights(const ns3::PhasedArrayModel::ComplexVector& vector) {
    Weights weights(vector.GetSize());
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = vector[i];
    return weights;
}

}  // namespace

BeamKeeper::BeamKeeper(const MmwaveConfig& config, const Point& base_m, Normal normal)
    : config_(config),
      base_m_(base_m),
      normal_(std::move(normal)),
      ends_{PlanarArray(config.gnb_array), PlanarArray(config.ue_array), {}, {}, 0} {
    if (config.beam != Beam::kCodebook) return;
    base_codebook_ = ends_.base.codebook();
    ue_codebook_ = ends_.ue.codebook();
}

void BeamKeeper::set(Weights base, Weights ue) {
    ends_.base_beam = std::move(base);
    ends_.ue_beam = std::move(ue);
    ++ends_.generation;
}

void BeamKeeper::point(const Motion& motion, const Look& look) {
    if (config_.beam == Beam::kCodebook) return search(motion, look);
    if (motion.now < due_) return;
    if (config_.beam == Beam::kSvd) {
        due_ = motion.now + from_seconds(config_.channel_update_s);
        return point_svd(motion, look);
    }
    due_ = motion.now + kDftPeriod;
    point_dft(motion);
}

void BeamKeeper::point_dft(const Motion& motion) {
    const Point way = motion.ue_m - base_m_;
    const Point direction = 1 / std::max(distance_m(base_m_, motion.ue_m), 1e-3) * way;
    set(ends_.base.beam(direction), ends_.ue.beam(-1.0 * direction));
}

void BeamKeeper::point_svd(const Motion&, const Look& look) {
    const std::vector<Fading::Wave> waves = look();
    std::size_t taps = 0;
    for (const Fading::Wave& wave : waves) taps = std::max(taps, wave.tap + 1);
    ns3::MatrixBasedChannelModel::Complex3DVector channel(ends_.ue.elements(), ends_.base.elements(), taps);
    for (const Fading::Wave& wave : waves) {
        const Weights at_base = ends_.base.phases(wave.departure), at_ue = ends_.ue.phases(wave.arrival);
        for (std::size_t s = 0; s < at_base.size(); ++s) {
            const Complex sent = wave.amplitude * at_base[s];
            for (std::size_t u = 0; u < at_ue.size(); ++u) channel(u, s, wave.tap) += sent * at_ue[u];
        }
    }
    const BeamPair beams = strongest_beams(channel);
    set(to_weights(beams.s), to_weights(beams.u));
}

void BeamKeeper::search(const Motion& motion, const Look& look) {
    const BeamSearch& search = config_.search;
    if (motion.now >= due_) {
        // The first search is that of initial access, before the trace begins.
        const bool first = ends_.generation == 0;
        found_ = search_codebooks(look(), ends_.base, ends_.ue, search.error_db, normal_);
        searching_ = !first;
        due_ += search.period;
        if (!first) return;
    }
    if (ends_.generation > 0 && (!searching_ || motion.now < due_ - search.period + search.sweep)) return;
    searching_ = false;
    set(base_codebook_[found_.base], ue_codebook_[found_.ue]);
}

}  // namespace mmwemu
