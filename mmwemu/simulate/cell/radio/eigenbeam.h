// SPDX-License-Identifier: GPL-2.0-only
// Eigen-beamforming: weights from the channel matrix.

#pragma once

#include <ns3/matrix-based-channel-model.h>

namespace mmwemu {

/// Unit weights for the two ends of a channel matrix H[u, s, cluster].
struct BeamPair {
    ns3::PhasedArrayModel::ComplexVector s, u;
};

/// Return the weights that maximise the power summed over clusters: the principal eigenvector of
/// sum H^H H for one end and, given it, of sum (H s)(H s)^H for the other. They hold for the whole band.
BeamPair strongest_beams(const ns3::MatrixBasedChannelModel::Complex3DVector& channel);

}  // namespace mmwemu
