// SPDX-License-Identifier: GPL-2.0-only
#include "core/codebook_search.h"

#include <algorithm>
#include <cmath>

namespace mmwemu {

namespace {

/// Add the power of one tap, whose amplitudes by pair of beams are `re` and `im`, and clear them.
void collect(std::vector<double>& re, std::vector<double>& im, std::vector<double>& power) {
    for (std::size_t i = 0; i < power.size(); ++i) power[i] += re[i] * re[i] + im[i] * im[i];
    std::fill(re.begin(), re.end(), 0);
    std::fill(im.begin(), im.end(), 0);
}

}  // namespace

BeamChoice search_codebooks(const std::vector<Fading::Wave>& waves, const PlanarArray& base, const PlanarArray& ue,
                            double error_db, const Normal& normal) {
    const std::size_t n = ue.elements(), pairs = base.elements() * n;
    std::vector<double> power(pairs), re(pairs), im(pairs);
    for (std::size_t w = 0; w < waves.size(); ++w) {
        if (w > 0 && waves[w].tap != waves[w - 1].tap) collect(re, im, power);
        const Weights at_base = base.codebook_responses(waves[w].departure);
        const Weights at_ue = ue.codebook_responses(waves[w].arrival);
        for (std::size_t b = 0; b < at_base.size(); ++b) {
            const Complex sent = waves[w].amplitude * at_base[b];
            for (std::size_t u = 0; u < n; ++u) {
                re[b * n + u] += sent.real() * at_ue[u].real() - sent.imag() * at_ue[u].imag();
                im[b * n + u] += sent.real() * at_ue[u].imag() + sent.imag() * at_ue[u].real();
            }
        }
    }
    collect(re, im, power);
    for (double& one : power) one *= std::pow(10, error_db * normal() / 10);
    const auto best = static_cast<std::size_t>(std::max_element(power.begin(), power.end()) - power.begin());
    return {best / n, best % n};
}

}  // namespace mmwemu
