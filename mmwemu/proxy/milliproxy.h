// milliProxy (Polese et al. 2017): a TCP proxy at the base station that keeps end-to-end semantics.

#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "flow.h"
#include "segment.h"

namespace mmwemu::proxy {

/// Sits between the server and the base station of one client. It rewrites the window in the client's
/// acknowledgements, and holds data back that is ahead of the window. It acknowledges nothing by itself and changes
/// no payload; whatever is not TCP passes.
///
/// `Packet` is whatever the program has for one; it is moved, never copied.
template <typename Packet>
class MilliProxy {
  public:
    /// Where packets go on, and how they are read and written.
    struct Ends {
        std::function<void(Packet)> to_client, to_server;
        std::function<Bytes(const Packet&)> start;  // its first bytes, with all headers; valid until the next call
        std::function<void(Packet&, std::uint16_t window)> rewrite;
        std::function<Packet(std::vector<std::uint8_t>)> make;
    };

    MilliProxy(const Settings& settings, Ends ends) : settings_(settings), ends_(std::move(ends)) {}

    /// Take what the base station knows at `now`; it counts after the delay, and at most once an interval.
    void inform(Time now, const Information& information) {
        if (now >= next_information_) {
            next_information_ = now + settings_.information_interval;
            information_due_.push_back({now + settings_.information_delay, information});
        }
        advance(now);
    }

    void from_server(Time now, Packet packet) {
        advance(now);
        const auto segment = parse(ends_.start(packet));
        if (!segment) return ends_.to_client(std::move(packet));
        Connection& connection = find(*segment, segment->to, segment->from);
        connection.flow.from_server(now, *segment);
        if (segment->has(Segment::kRst)) {
            while (!connection.held.empty()) pass_oldest(connection);
        }
        if (!connection.flow.is_steered() || !waits_in_line(connection, *segment)) {
            pass(connection, *segment, std::move(packet));
            return forget_if_over(connection);
        }
        connection.held_bytes += segment->payload_bytes;
        connection.held.push_back({*segment, std::move(packet)});
        release(connection);
        make_room(connection);
        attend(connection);
    }

    void from_client(Time now, Packet packet) {
        advance(now);
        const auto segment = parse(ends_.start(packet));
        if (!segment) return ends_.to_server(std::move(packet));
        Connection& connection = find(*segment, segment->from, segment->to);
        const auto window = connection.flow.from_client(now, *segment, information_);
        if (window && segment->payload_bytes == 0) {
            const Bytes start = ends_.start(packet);
            connection.acknowledgement.assign(start.begin(), start.begin() + segment->header_bytes);
        }
        if (window) ends_.rewrite(packet, *window);
        ends_.to_server(std::move(packet));
        release(connection);
        attend(connection);
        forget_if_over(connection);
    }

    /// Bytes held back.
    std::uint64_t held_bytes() const {
        std::uint64_t sum = 0;
        for (const auto& [ends, connection] : connections_) sum += connection.held_bytes;
        return sum;
    }

    /// Let the information count that is due at `now`.
    void advance(Time now) {
        bool changed = false;
        for (; !information_due_.empty() && information_due_.front().first <= now; information_due_.pop_front()) {
            information_ = information_due_.front().second;
            changed = true;
        }
        if (!changed) return;
        for (Connection* connection : attended_) {
            release(*connection);
            reopen(*connection);
            connection->attended = needs_attention(*connection);
        }
        std::erase_if(attended_, [](const Connection* connection) { return !connection->attended; });
    }

    std::size_t connections() const { return connections_.size(); }

    /// When information may change what is held back or which window a server has; none where it matters to nobody.
    std::optional<Time> next() const {
        if (attended_.empty()) return std::nullopt;
        return information_due_.empty() ? next_information_
                                        : std::min(next_information_, information_due_.front().first);
    }

  private:
    static constexpr std::size_t kMostConnections = 4096, kMostHeld = 65'536;  // packets, of a connection
    using Key = std::pair<End, End>;                                           // client, server
    struct Held {
        Segment segment;
        Packet packet;
    };
    struct Connection {
        Connection(const Settings& settings, const Key& ends) : flow(settings), key(ends) {}
        Flow flow;
        std::deque<Held> held;
        std::uint64_t held_bytes = 0;
        std::vector<std::uint8_t> acknowledgement;  // the client's last without payload, as it sent it
        Key key;
        bool attended = false;
    };

    Connection& find(const Segment& segment, const End& client, const End& server) {
        const Key key{client, server};
        auto found = connections_.find(key);
        const bool starts = segment.has(Segment::kSyn) && !segment.has(Segment::kAck);
        if (found != connections_.end() && starts && found->second.flow.is_steered()) {
            forget(found);
            found = connections_.end();
        }
        if (found != connections_.end()) return found->second;
        if (connections_.size() >= kMostConnections) forget(longest_idle());
        return connections_.emplace(key, Connection(settings_, key)).first->second;
    }

    auto longest_idle() {
        return std::min_element(connections_.begin(), connections_.end(), [](const auto& a, const auto& b) {
            return a.second.flow.last_seen() < b.second.flow.last_seen();
        });
    }

    void forget(typename std::map<Key, Connection>::iterator which) {
        for (Held& one : which->second.held) ends_.to_client(std::move(one.packet));
        std::erase(attended_, &which->second);
        connections_.erase(which);
    }

    void forget_if_over(const Connection& connection) {
        if (connection.held.empty() && connection.flow.is_over()) forget(connections_.find(connection.key));
    }

    /// Note a connection for which the next information may make a difference.
    void attend(Connection& connection) {
        if (connection.attended || !needs_attention(connection)) return;
        connection.attended = true;
        attended_.push_back(&connection);
    }

    static bool needs_attention(const Connection& connection) {
        return !connection.held.empty() || connection.flow.is_stopped();
    }

    /// What was sent before does not wait: it fills a gap, or the server misses its acknowledgement.
    static bool waits_in_line(const Connection& connection, const Segment& segment) {
        if (segment.has(Segment::kRst)) return false;
        const bool after_held =
            connection.held.empty() || distance(segment.end(), connection.held.back().segment.end()) > 0;
        return after_held && connection.flow.is_new(segment);
    }

    void pass(Connection& connection, const Segment& segment, Packet packet) {
        connection.flow.passed(segment);
        ends_.to_client(std::move(packet));
    }

    void pass_oldest(Connection& connection) {
        Held oldest = std::move(connection.held.front());
        connection.held.pop_front();
        connection.held_bytes -= oldest.segment.payload_bytes;
        pass(connection, oldest.segment, std::move(oldest.packet));
    }

    void release(Connection& connection) {
        while (!connection.held.empty() &&
               connection.flow.may_pass(connection.held.front().segment.end(), information_)) {
            pass_oldest(connection);
        }
    }

    /// What the buffer has no room for goes on ahead of the window, as far as the client can take it, and else is lost.
    void make_room(Connection& connection) {
        const auto is_full = [&] {
            return connection.held_bytes > settings_.buffer_bytes || connection.held.size() > kMostHeld;
        };
        while (is_full() && connection.flow.has_room(connection.held.front().segment.end())) {
            pass_oldest(connection);
        }
        if (!is_full()) return;
        connection.held_bytes -= connection.held.back().segment.payload_bytes;
        connection.held.pop_back();
    }

    void reopen(Connection& connection) {
        if (connection.acknowledgement.empty()) return;
        const auto window = connection.flow.reopened(information_);
        if (!window) return;
        Packet update = ends_.make(without_payload(connection.acknowledgement));
        ends_.rewrite(update, *window);
        ends_.to_server(std::move(update));
    }

    Settings settings_;
    Ends ends_;
    std::map<Key, Connection> connections_;
    std::vector<Connection*> attended_;  // of these
    std::deque<std::pair<Time, Information>> information_due_;
    Information information_;
    Time next_information_ = 0;
};

}  // namespace mmwemu::proxy
