// SPDX-License-Identifier: GPL-2.0-only
#include "core/rays.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string_view>
#include <utility>

namespace mmwemu {

namespace {

constexpr double kLightMps = 299'792'458.0;
constexpr double kTurn = 2 * std::numbers::pi;

Point direction(double azimuth_deg, double elevation_deg) {
    const double azimuth = azimuth_deg / 360 * kTurn, elevation = elevation_deg / 360 * kTurn;
    return {std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth), std::sin(elevation)};
}

/// The word at the start of a line, which is taken off it.
std::string_view take_word(std::string_view& line) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

/// The numbers of a line, exactly as many as there is room for.
template <std::size_t n>
bool take_numbers(std::string_view line, std::array<double, n>& values) {
    for (double& value : values) {
        const std::string_view word = take_word(line);
        const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || stop != word.data() + word.size() || !std::isfinite(value)) return false;
    }
    return take_word(line).empty();
}

void add_line(std::vector<RayPoint>& points, std::string_view line) {
    const std::string_view key = take_word(line);
    if (key == "point") {
        std::array<double, 4> v{};
        if (!take_numbers(line, v)) throw std::invalid_argument("point: must have four numbers");
        if (points.empty() ? v[0] != 0 : v[0] <= points.back().along_m)
            throw std::invalid_argument("point: ways must rise from 0");
        points.push_back({v[0], {v[1], v[2], v[3]}, {}});
    } else if (key == "ray") {
        std::array<double, 8> v{};
        if (!take_numbers(line, v)) throw std::invalid_argument("ray: must have eight numbers");
        if (points.empty()) throw std::invalid_argument("ray: comes before the first point");
        const double amplitude = std::pow(10, v[1] / 20);
        points.back().rays.push_back(
            {v[0], std::polar(amplitude, v[2]), direction(v[3], v[4]), direction(v[5], v[6]), v[7] == 1});
    } else if (!key.empty()) {
        throw std::invalid_argument("unknown record");
    }
}

}  // namespace

bool RayPoint::los() const {
    return std::any_of(rays.begin(), rays.end(), [](const Ray& ray) { return ray.direct; });
}

std::vector<RayPoint> parse_rays(const std::string& name, const std::string& text) {
    std::vector<RayPoint> points;
    std::size_t number = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        ++number;
        try {
            add_line(points, rest.substr(0, end));
        } catch (const std::invalid_argument& error) {
            throw RayError(name + ":" + std::to_string(number) + ": " + error.what());
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (points.empty()) throw RayError(name + ": has no point");
    return points;
}

std::vector<RayPoint> read_rays(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    if (!file || !text) throw RayError(path + ": cannot be read: " + std::strerror(errno));
    return parse_rays(path, text.str());
}

RayField::RayField(std::vector<RayPoint> points, double carrier_hz)
    : points_(std::move(points)), carrier_hz_(carrier_hz) {}

/// Index of the first point behind `along_m`.
std::size_t RayField::after(double along_m) const {
    const auto found = std::upper_bound(points_.begin(), points_.end(), along_m,
                                        [](double way, const RayPoint& point) { return way < point.along_m; });
    return static_cast<std::size_t>(found - points_.begin());
}

const std::vector<Ray>& RayField::at(double along_m, const Point& position_m) {
    here_.clear();
    const std::size_t next = after(along_m);
    if (next == 0 || next == points_.size()) {
        carry(next == 0 ? points_.front() : points_.back(), position_m, 1);
        return here_;
    }
    const RayPoint &from = points_[next - 1], &to = points_[next];
    const double share = (along_m - from.along_m) / (to.along_m - from.along_m);
    carry(from, position_m, 1 - share);
    if (share > 0) carry(to, position_m, share);
    return here_;
}

void RayField::carry(const RayPoint& point, const Point& position_m, double weight) {
    const Point step{position_m.x - point.position_m.x, position_m.y - point.position_m.y,
                     position_m.z - point.position_m.z};
    for (const Ray& ray : point.rays) {
        const double nearer_m = ray.arrival.x * step.x + ray.arrival.y * step.y + ray.arrival.z * step.z;
        const double later_s = -nearer_m / kLightMps;
        Ray carried = ray;
        carried.delay_s += later_s;
        carried.gain *= std::polar(weight, -kTurn * carrier_hz_ * later_s);
        here_.push_back(carried);
    }
}

bool RayField::los(double along_m) const {
    const std::size_t next = after(along_m);
    if (next == 0) return points_.front().los();
    if (next == points_.size()) return points_.back().los();
    const bool second = along_m - points_[next - 1].along_m > points_[next].along_m - along_m;
    return points_[second ? next : next - 1].los();
}

}  // namespace mmwemu
