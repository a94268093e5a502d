// SPDX-License-Identifier: GPL-2.0-only
#include "core/planar_array.h"

#include <random>

#include "core/codebook_search.h"
#include "core/drift.h"
#include "tests/near.h"

using namespace mmwemu;

namespace {

Complex product(const Weights& a, const Weights& b) {
    Complex sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

std::vector<Point> directions(int count) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<double> azimuth(-3.1, 3.1), inclination(0.05, 3.0);
    std::vector<Point> all;
    for (int i = 0; i < count; ++i) all.push_back(unit(azimuth(engine), inclination(engine)));
    return all;
}

}  // namespace

TEST_CASE("The gain of a beam in its direction is the number of elements, and less elsewhere") {
    const PlanarArray array({8, 4});
    const auto all = directions(50);
    for (const Point& one : all) {
        const Weights beam = array.beam(one);
        CHECK(std::norm(array.response(beam, one)) == Near(32, 1e-9));
        for (const Point& other : all) CHECK(std::norm(array.response(beam, other)) <= 32 + 1e-9);
    }
}

TEST_CASE("A response is the sum over the elements") {
    const PlanarArray array({3, 5});
    const Weights weights = array.beam(unit(0.3, 1.2));
    for (const Point& one : directions(20)) {
        CHECK(std::abs(array.response(weights, one) - product(weights, array.phases(one))) < 1e-12);
    }
}

TEST_CASE("The beams of a codebook are orthogonal, and their responses are found together") {
    const PlanarArray array({4, 8});
    const std::vector<Weights> beams = array.codebook();
    REQUIRE(beams.size() == 32);
    for (std::size_t a = 0; a < beams.size(); ++a) {
        for (std::size_t b = 0; b < beams.size(); ++b) {
            Complex sum = 0;
            for (std::size_t i = 0; i < beams[a].size(); ++i) sum += std::conj(beams[a][i]) * beams[b][i];
            CHECK(std::abs(sum) == Near(a == b ? 1 : 0, 1e-12));
        }
    }
    for (const Point& one : directions(20)) {
        const Weights together = array.codebook_responses(one);
        double power = 0;
        for (std::size_t b = 0; b < beams.size(); ++b) {
            CHECK(std::abs(together[b] - array.response(beams[b], one)) < 1e-12);
            power += std::norm(together[b]);
        }
        CHECK(power == Near(32, 1e-9));
    }
}

TEST_CASE("A search without error finds the strongest pair; with a great error it mostly does not") {
    const PlanarArray base({8, 8}), ue({4, 4});
    std::mt19937 engine(1);
    std::normal_distribution<double> normal;
    const Normal draw = [&] { return normal(engine); };
    const auto all = directions(60);
    int right = 0;
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
        Fading::Wave wave{all[i], all[i + 1], {1e-5, 0}, 1}, weak = wave;
        weak.departure = all[i + 1];
        weak.amplitude = 1e-7;
        weak.tap = 2;
        const std::vector<Fading::Wave> waves{weak, wave};
        const BeamChoice best = search_codebooks(waves, base, ue, 0, draw);
        const double at_best = std::norm(base.response(base.codebook()[best.base], wave.departure)) *
                               std::norm(ue.response(ue.codebook()[best.ue], wave.arrival));
        for (const Weights& other : base.codebook()) {
            CHECK(at_best >= 0.98 * std::norm(base.response(other, wave.departure)) *
                                 std::norm(ue.response(ue.codebook()[best.ue], wave.arrival)));
        }
        const BeamChoice guess = search_codebooks(waves, base, ue, 20, draw);
        right += guess.base == best.base && guess.ue == best.ue;
    }
    CHECK(right < 15);
}
