// SPDX-License-Identifier: GPL-2.0-only
#include "core/planar_array.h"

#include <cmath>
#include <numbers>

namespace mmwemu {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kSpacing = 0.5;  // wavelengths

// std::complex multiplies with care for infinities, which costs a call.
Complex times(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Responses of the beams of a line of `n` elements whose phases turn by `turns` from one to the next.
Weights line_responses(std::uint32_t n, double turns) {
    Weights responses;
    for (std::uint32_t beam = 0; beam < n; ++beam) {
        const Complex step = std::polar(1.0, kTurn * (turns - static_cast<double>(beam) / n));
        Complex sum = 0;
        for (std::uint32_t i = 0; i < n; ++i) sum = times(sum, step) + 1.0;
        responses.push_back(sum / std::sqrt(static_cast<double>(n)));
    }
    return responses;
}

}  // namespace

/// Phase factors that turn by `along_y` turns each column and by `along_z` turns each row.
Weights PlanarArray::grid(double along_y, double along_z) const {
    Weights factors;
    factors.reserve(elements());
    const Complex step_y = std::polar(1.0, kTurn * along_y), step_z = std::polar(1.0, kTurn * along_z);
    Complex row = 1;
    for (std::uint32_t r = 0; r < size_.rows; ++r, row = times(row, step_z)) {
        Complex element = row;
        for (std::uint32_t c = 0; c < size_.columns; ++c, element = times(element, step_y)) factors.push_back(element);
    }
    return factors;
}

Weights PlanarArray::phases(const Point& direction) const {
    return grid(kSpacing * direction.y, kSpacing * direction.z);
}

Complex PlanarArray::response(const Weights& weights, const Point& direction) const {
    const Complex step_y = std::polar(1.0, kTurn * kSpacing * direction.y);
    const Complex step_z = std::polar(1.0, kTurn * kSpacing * direction.z);
    Complex sum = 0;
    for (std::size_t r = size_.rows; r-- > 0;) {
        Complex row = 0;
        for (std::size_t c = size_.columns; c-- > 0;) row = times(row, step_y) + weights[r * size_.columns + c];
        sum = times(sum, step_z) + row;
    }
    return sum;
}

Weights PlanarArray::beam(const Point& direction) const {
    Weights weights = grid(-kSpacing * direction.y, -kSpacing * direction.z);
    for (Complex& weight : weights) weight /= std::sqrt(static_cast<double>(elements()));
    return weights;
}

std::vector<Weights> PlanarArray::codebook() const {
    std::vector<Weights> beams;
    for (std::uint32_t r = 0; r < size_.rows; ++r) {
        for (std::uint32_t c = 0; c < size_.columns; ++c) {
            Weights beam = grid(-static_cast<double>(c) / size_.columns, -static_cast<double>(r) / size_.rows);
            for (Complex& weight : beam) weight /= std::sqrt(static_cast<double>(elements()));
            beams.push_back(std::move(beam));
        }
    }
    return beams;
}

Weights PlanarArray::codebook_responses(const Point& direction) const {
    const Weights rows = line_responses(size_.rows, kSpacing * direction.z);
    const Weights columns = line_responses(size_.columns, kSpacing * direction.y);
    Weights responses;
    responses.reserve(elements());
    for (const Complex& row : rows) {
        for (const Complex& column : columns) responses.push_back(times(row, column));
    }
    return responses;
}

}  // namespace mmwemu
