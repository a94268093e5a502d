// SPDX-License-Identifier: GPL-2.0-only
#include "core/fading.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace mmwemu {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kLightMps = 299'792'458.0;
// Directions, delays and the gains of the beams are computed anew after this way; phases turn with each step.
constexpr double kRefreshM = 0.05;

bool same(const Point& a, const Point& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

}  // namespace

double Bands::wavelength_m() const {
    return kLightMps / carrier_hz;
}

void Field::clear() {
    re.assign(re.size(), 0);
    im.assign(im.size(), 0);
}

void Field::add(const Bands& bands, const Complex& amplitude, double delay_s) {
    const double step = -kTurn * bands.width_hz * delay_s;
    const Complex turn = std::polar(1.0, step);
    const Complex first = amplitude * std::polar(1.0, -step * (bands.count - 1) / 2);
    double wave_re = first.real(), wave_im = first.imag();
    for (std::size_t b = 0; b < re.size(); ++b) {
        re[b] += wave_re;
        im[b] += wave_im;
        const double turned = wave_re * turn.real() - wave_im * turn.imag();
        wave_im = wave_re * turn.imag() + wave_im * turn.real();
        wave_re = turned;
    }
}

/// One draw of clusters and rays, as it drifts.
class Fading::Realisation {
  public:
    Realisation(const Draw& draw, const Point& base_m, const Point& ue_m, const Bands& bands)
        : bands_(bands), base_m_(base_m), direct_power_(draw.direct_power), direct_m_(distance_m(base_m, ue_m)) {
        for (const DrawnTap& drawn : draw.taps) {
            Tap tap{drawn.delay_s, rays_.size(), rays_.size() + drawn.rays.size(), Field(bands.count)};
            const double length_m = direct_m_ + draw.excess_m + kLightMps * drawn.delay_s;
            for (const DrawnRay& ray : drawn.rays) {
                rays_.push_back(
                    {DriftingRay(ray, ue_m, length_m, drawn.mirrored), ray.phase, std::sqrt(ray.power), length_m});
            }
            taps_.push_back(std::move(tap));
        }
        re_.resize(rays_.size());
        im_.resize(rays_.size());
        turn_re_.resize(rays_.size());
        turn_im_.resize(rays_.size());
    }

    void follow(const Motion& motion, const Ends& ends) {
        const bool stale = generation_ != ends.generation || distance_m(motion.ue_m, at_.ue_m) > kRefreshM ||
                           !same(motion.velocity_mps, at_.velocity_mps) || motion.step != at_.step;
        if (stale) return refresh(motion, ends);
        if (same(motion.ue_m, last_m_)) return;
        last_m_ = motion.ue_m;
        for (std::size_t i = 0; i < re_.size(); ++i) {
            const double turned = re_[i] * turn_re_[i] - im_[i] * turn_im_[i];
            im_[i] = re_[i] * turn_im_[i] + im_[i] * turn_re_[i];
            re_[i] = turned;
        }
    }

    void add_to(Field& field, double amplitude) const {
        for (const Tap& tap : taps_) {
            double re = 0, im = 0;
            for (std::size_t i = tap.first; i < tap.last; ++i) {
                re += re_[i];
                im += im_[i];
            }
            re *= amplitude;
            im *= amplitude;
            for (std::size_t b = 0; b < field.re.size(); ++b) {
                field.re[b] += re * tap.by_band.re[b] - im * tap.by_band.im[b];
                field.im[b] += re * tap.by_band.im[b] + im * tap.by_band.re[b];
            }
        }
    }

    double direct_power() const { return direct_power_; }

    void list(const Point& ue_m, double amplitude, std::size_t first_tap, std::vector<Wave>& waves) const {
        for (std::size_t t = 0; t < taps_.size(); ++t) {
            for (std::size_t i = taps_[t].first; i < taps_[t].last; ++i) {
                const DriftingRay::State state = rays_[i].drifting.at(ue_m);
                waves.push_back({state.departure, state.arrival, amplitude * wave(i, state), first_tap + t});
            }
        }
    }

    std::size_t taps() const { return taps_.size(); }

  private:
    struct Ray {
        DriftingRay drifting;
        double phase, amplitude, drawn_m;
    };
    struct Tap {
        double delay_s;
        std::size_t first, last;
        Field by_band;  // phase factors
    };

    Complex wave(std::size_t i, const DriftingRay::State& state) const {
        const double way = (state.length_m - rays_[i].drawn_m) / bands_.wavelength_m();
        return std::polar(rays_[i].amplitude, rays_[i].phase - kTurn * way);
    }

    void refresh(const Motion& motion, const Ends& ends) {
        at_ = motion;
        last_m_ = motion.ue_m;
        generation_ = ends.generation;
        const double direct_change_m = distance_m(base_m_, motion.ue_m) - direct_m_;
        const double turns_per_metre = 1 / bands_.wavelength_m();
        for (Tap& tap : taps_) {
            double change_m = 0;
            for (std::size_t i = tap.first; i < tap.last; ++i) {
                const DriftingRay::State state = rays_[i].drifting.at(motion.ue_m);
                const Complex now = wave(i, state) * ends.base.response(ends.base_beam, state.departure) *
                                    ends.ue.response(ends.ue_beam, state.arrival);
                re_[i] = now.real();
                im_[i] = now.imag();
                const double doppler_hz = dot(state.arrival, motion.velocity_mps) * turns_per_metre;
                const Complex turn = std::polar(1.0, kTurn * doppler_hz * to_seconds(motion.step));
                turn_re_[i] = turn.real();
                turn_im_[i] = turn.imag();
                change_m += state.length_m - rays_[i].drawn_m;
            }
            const double mean_m = change_m / static_cast<double>(tap.last - tap.first) - direct_change_m;
            tap.by_band.clear();
            tap.by_band.add(bands_, 1, tap.delay_s + mean_m / kLightMps);
        }
    }

    Bands bands_;
    Point base_m_;
    double direct_power_, direct_m_;
    std::vector<Ray> rays_;
    std::vector<Tap> taps_;
    std::vector<double> re_, im_, turn_re_, turn_im_;
    Motion at_;     // of the last refresh
    Point last_m_;  // of the last step
    int generation_ = -1;
};

Fading::Fading(Source source, const Bands& bands, const Point& base_m, double correlation_m)
    : source_(std::move(source)), bands_(bands), base_m_(base_m), correlation_m_(correlation_m) {}

Fading::Fading(Fading&&) noexcept = default;

Fading::~Fading() = default;

void Fading::renew(const Motion& motion) {
    const auto draw = [&] { return std::make_unique<Realisation>(source_(motion.ue_m), base_m_, motion.ue_m, bands_); };
    const double since_m = motion.travelled_m - begun_m_;
    if (!current_ || since_m >= 2 * correlation_m_) {
        current_ = draw();
        next_ = draw();
        begun_m_ = motion.travelled_m;
    } else if (since_m >= correlation_m_) {
        current_ = std::move(next_);
        next_ = draw();
        begun_m_ += correlation_m_;
    }
    share_ = (motion.travelled_m - begun_m_) / correlation_m_;
    at_ = motion;
}

void Fading::follow(const Motion& motion, const Ends& ends) {
    current_->follow(motion, ends);
    next_->follow(motion, ends);
}

void Fading::add_to(Field& field, double amplitude) const {
    current_->add_to(field, amplitude * std::cos(share_ * kTurn / 4));
    next_->add_to(field, amplitude * std::sin(share_ * kTurn / 4));
}

double Fading::direct_power() const {
    const double next = std::sin(share_ * kTurn / 4) * std::sin(share_ * kTurn / 4);
    return (1 - next) * current_->direct_power() + next * next_->direct_power();
}

std::vector<Fading::Wave> Fading::waves(double amplitude) const {
    std::vector<Wave> waves;
    current_->list(at_.ue_m, amplitude * std::cos(share_ * kTurn / 4), 1, waves);
    next_->list(at_.ue_m, amplitude * std::sin(share_ * kTurn / 4), 1 + current_->taps(), waves);
    return waves;
}

}  // namespace mmwemu
