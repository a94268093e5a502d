// SPDX-License-Identifier: GPL-2.0-only
// The beams at both ends of a consistent channel, as they are kept pointed.

#pragma once

#include <functional>

#include "core/codebook_search.h"
#include "core/config.h"
#include "core/fading.h"

namespace mmwemu {

/// Points beams the way the configuration says.
class BeamKeeper {
  public:
    using Look = std::function<std::vector<Fading::Wave>()>;

    BeamKeeper(const MmwaveConfig& config, const Point& base_m, Normal normal);

    /// Bring the beams up to date; `look` gives the channel as it is at `motion`.
    void point(const Motion& motion, const Look& look);

    const Ends& ends() const { return ends_; }

    /// Whether a search is under way.
    bool searching() const { return searching_; }

  private:
    void set(Weights base, Weights ue);
    void point_dft(const Motion& motion);
    void point_svd(const Motion& motion, const Look& look);
    void search(const Motion& motion, const Look& look);

    const MmwaveConfig& config_;
    Point base_m_;
    Normal normal_;
    Ends ends_;
    std::vector<Weights> base_codebook_, ue_codebook_;
    Time due_ = 0;
    bool searching_ = false;
    BeamChoice found_;
};

}  // namespace mmwemu
