// SPDX-License-Identifier: GPL-2.0-only
#include "core/shadowing.h"

#include <random>
#include <vector>

#include "tests/near.h"

using namespace mmwemu;

namespace {

/// Values at each metre of a straight way.
std::vector<double> walk(Shadowing& shadowing, int metres) {
    std::vector<double> values;
    for (int i = 0; i < metres; ++i) values.push_back(shadowing.at({static_cast<double>(i), 0, 1.5}));
    return values;
}

double covariance(const std::vector<double>& values, std::size_t lag) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < values.size(); ++i) sum += values[i] * values[i + lag];
    return sum / static_cast<double>(values.size() - lag);
}

Normal draws() {
    return [engine = std::mt19937(7), normal = std::normal_distribution<double>()]() mutable { return normal(engine); };
}

}  // namespace

TEST_CASE("Shadowing has its sigma, and an autocorrelation of 1/e at the decorrelation distance") {
    Shadowing shadowing({7.82, 13}, draws());
    const std::vector<double> values = walk(shadowing, 400'000);
    const double variance = covariance(values, 0);
    CHECK(std::sqrt(variance) == Near(7.82, 0.15));
    for (const std::size_t lag : {1u, 5u, 13u, 26u}) {
        CHECK(covariance(values, lag) / variance == Near(std::exp(-static_cast<double>(lag) / 13), 0.03));
    }
}

TEST_CASE("Shadowing depends on the way, not on the number of steps, and rests with the UE") {
    Shadowing fine({6, 50}, draws());
    std::vector<double> values;
    for (int i = 0; i < 2'000'000; ++i) {
        const double value = fine.at({i * 0.1, 0, 1});
        if (i % 500 == 0) values.push_back(value);
    }
    CHECK(covariance(values, 1) / covariance(values, 0) == Near(std::exp(-1), 0.06));
    const double last = fine.at({1e6, 0, 1});
    for (int i = 0; i < 10; ++i) CHECK(fine.at({1e6, 0, 1}) == last);
}

TEST_CASE("Sigma and distance are those of the path loss and the state") {
    CHECK(shadowing_size(PathLoss::kUmiStreetCanyon, false).sigma_db == 7.82);
    CHECK(shadowing_size(PathLoss::kUmiStreetCanyon, true).decorrelation_m == 10);
    CHECK(shadowing_size(PathLoss::kUma, false).decorrelation_m == 50);
    CHECK(shadowing_size(PathLoss::kAkdeniz, false).sigma_db == 8.7);
}
