// SPDX-License-Identifier: GPL-2.0-only
// Fading that is consistent along the route.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/drift.h"
#include "core/planar_array.h"
#include "core/time.h"

namespace mmwemu {

/// The bands of a channel and its wavelength.
struct Bands {
    double carrier_hz = 0, width_hz = 0;
    int count = 0;

    double wavelength_m() const;
};

/// Where the UE is and how it moves.
struct Motion {
    Time now = 0;
    Point ue_m, velocity_mps;
    double travelled_m = 0;  // along the route, since its start
    Time step = 0;           // to the next motion
};

/// Arrays and beams at both ends.
struct Ends {
    PlanarArray base, ue;
    Weights base_beam, ue_beam;
    int generation = 0;  // another number for other beams
};

/// The complex amplitude by band; real and imaginary parts apart.
struct Field {
    explicit Field(int bands) : re(static_cast<std::size_t>(bands)), im(static_cast<std::size_t>(bands)) {}

    void clear();
    /// Add a wave of this amplitude and delay.
    void add(const Bands& bands, const Complex& amplitude, double delay_s);

    std::vector<double> re, im;
};

/// Realisations that drift with the UE's motion and take turns, each fading into the next over the correlation
/// distance.
class Fading {
  public:
    using Source = std::function<Draw(const Point& ue_m)>;

    /// `correlation_m` is that of the random variables of clusters (TR 38.901, table 7.6.3.1-2).
    Fading(Source source, const Bands& bands, const Point& base_m, double correlation_m);
    Fading(Fading&&) noexcept;
    ~Fading();

    /// Have the realisations for this place; motions must come in the order of time.
    void renew(const Motion& motion);

    /// Turn the waves on to this motion, after `renew`.
    void follow(const Motion& motion, const Ends& ends);

    /// Add the scattered waves, multiplied by `amplitude`.
    void add_to(Field& field, double amplitude) const;

    /// The share of the power in the direct path.
    double direct_power() const;

    /// A wave as it is now, without beams.
    struct Wave {
        Point departure, arrival;
        Complex amplitude;
        std::size_t tap = 0;  // of all realisations, counted from 1; 0 is the direct path
    };
    /// The scattered waves, multiplied by `amplitude`, in the order of taps.
    std::vector<Wave> waves(double amplitude) const;

  private:
    class Realisation;

    Source source_;
    Bands bands_;
    Point base_m_;
    double correlation_m_;
    std::unique_ptr<Realisation> current_, next_;
    double begun_m_ = 0;
    double share_ = 0;  // of the way from the current realisation to the next
    Motion at_;
};

}  // namespace mmwemu
