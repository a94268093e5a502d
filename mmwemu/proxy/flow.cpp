#include "flow.h"

namespace mmwemu::proxy {

namespace {

constexpr std::uint64_t kGreatestField = 65'535;
constexpr double kGreatestWindow = 1e15;  // beyond what any field tells

}  // namespace

void Flow::from_server(Time now, const Segment& segment) {
    last_seen_ = now;
    if (segment.timestamps) round_trip_.from_server(now, *segment.timestamps);
    if (!segment.has(Segment::kSyn) || scale_) return;
    server_syn_ = true;
    server_scale_ = segment.window_scale;
    sent_end_ = client_ack_ = client_edge_ = segment.end();
}

std::optional<std::uint16_t> Flow::from_client(Time now, const Segment& segment, const Information& information) {
    last_seen_ = now;
    if (segment.timestamps) round_trip_.from_client(now, *segment.timestamps);
    if (segment.has(Segment::kSyn)) {
        client_syn_ = true;
        client_scale_ = segment.window_scale;
        return std::nullopt;
    }
    if (segment.has(Segment::kRst)) reset_ = true;
    if (segment.has(Segment::kFin)) client_closed_ = true;
    if (segment.has(Segment::kRst) || !segment.has(Segment::kAck)) return std::nullopt;
    if (!scale_) {
        if (!server_syn_ || !client_syn_) return std::nullopt;
        // Either both ends scale or none (RFC 7323, section 2.2).
        scale_ = server_scale_ && client_scale_ ? *client_scale_ : 0;
    }
    // One that was overtaken must not open the window that a later one has closed.
    if (distance(segment.ack, client_ack_) < 0) return static_cast<std::uint16_t>(told_bytes_ >> *scale_);
    client_ack_ = segment.ack;
    if (distance(client_ack_, sent_end_) > 0) sent_end_ = client_ack_;
    client_edge_ = client_ack_ + (std::uint32_t{segment.window} << *scale_);
    return tell(information);
}

std::uint64_t Flow::window_bytes(const Information& information) const {
    const auto round_trip = round_trip_.least();
    if (!round_trip) return settings_.first_window_bytes;
    const double product = static_cast<double>(*round_trip) * 1e-9 * information.rate_bps / 8;
    const auto window = static_cast<std::uint64_t>(std::clamp(product, 0.0, kGreatestWindow));
    const std::uint64_t backlog = information.backlog_bytes;
    if (backlog <= settings_.backlog_limit_bytes) return window;
    return window > 2 * backlog ? window - 2 * backlog : 0;
}

bool Flow::may_pass(std::uint32_t end, const Information& information) const {
    if (!scale_) return true;
    if (!has_room(end)) return sent_end_ == client_ack_;  // a probe of the client's window, whose answer opens it
    const auto on_the_way = static_cast<std::uint64_t>(distance(end, client_ack_));
    return sent_end_ == client_ack_ || on_the_way <= window_bytes(information);
}

std::uint16_t Flow::tell(const Information& information) {
    const auto room = static_cast<std::uint64_t>(distance(client_edge_, client_ack_)) + settings_.buffer_bytes;
    const std::uint64_t field = std::min(window_bytes(information), room) >> *scale_;
    const std::uint64_t told = std::min(field, kGreatestField);
    told_bytes_ = told << *scale_;
    return static_cast<std::uint16_t>(told);
}

std::optional<std::uint16_t> Flow::reopened(const Information& information) {
    if (!scale_ || told_bytes_ > kStoppedBytes) return std::nullopt;
    const std::uint64_t before = told_bytes_;
    const std::uint16_t field = tell(information);
    if (told_bytes_ > before + kStoppedBytes) return field;
    told_bytes_ = before;
    return std::nullopt;
}

}  // namespace mmwemu::proxy
