// SPDX-License-Identifier: GPL-2.0-only
#include "radio/eigenbeam.h"

#include <cmath>
#include <complex>
#include <vector>

namespace mmwemu {

namespace {

using Complex = std::complex<double>;
using Column = std::vector<Complex>;
constexpr int kIterations = 60;

void normalise(Column& v) {
    double power = 0;
    for (const Complex& c : v) power += std::norm(c);
    const double scale = power > 0 ? 1 / std::sqrt(power) : 0;
    for (Complex& c : v) c *= scale;
}

/// Principal eigenvector of a Hermitian matrix (rows of `matrix`), by power iteration.
Column principal(const std::vector<Column>& matrix) {
    Column v(matrix.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = {1.0, 0.01 * static_cast<double>(i)};
    for (int round = 0; round < kIterations; ++round) {
        Column next(v.size());
        for (std::size_t i = 0; i < v.size(); ++i) {
            for (std::size_t j = 0; j < v.size(); ++j) next[i] += matrix[i][j] * v[j];
        }
        normalise(next);
        v = std::move(next);
    }
    return v;
}

ns3::PhasedArrayModel::ComplexVector to_weights(const Column& v, bool conjugate) {
    ns3::PhasedArrayModel::ComplexVector weights(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) weights[i] = conjugate ? std::conj(v[i]) : v[i];
    return weights;
}

}  // namespace

BeamPair strongest_beams(const ns3::MatrixBasedChannelModel::Complex3DVector& channel) {
    const std::size_t n_u = channel.GetNumRows(), n_s = channel.GetNumCols(), n_cluster = channel.GetNumPages();
    std::vector<Column> at_s(n_s, Column(n_s));
    for (std::size_t c = 0; c < n_cluster; ++c) {
        for (std::size_t i = 0; i < n_s; ++i) {
            for (std::size_t j = 0; j < n_s; ++j) {
                for (std::size_t u = 0; u < n_u; ++u) at_s[i][j] += std::conj(channel(u, i, c)) * channel(u, j, c);
            }
        }
    }
    const Column s = principal(at_s);
    std::vector<Column> at_u(n_u, Column(n_u));
    for (std::size_t c = 0; c < n_cluster; ++c) {
        Column through(n_u);
        for (std::size_t u = 0; u < n_u; ++u) {
            for (std::size_t i = 0; i < n_s; ++i) through[u] += channel(u, i, c) * s[i];
        }
        for (std::size_t i = 0; i < n_u; ++i) {
            for (std::size_t j = 0; j < n_u; ++j) at_u[i][j] += through[i] * std::conj(through[j]);
        }
    }
    // The fading model multiplies by the receiver's weights without conjugating them.
    return {to_weights(s, false), to_weights(principal(at_u), true)};
}

}  // namespace mmwemu
