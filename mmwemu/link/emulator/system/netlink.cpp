#include "system/netlink.h"

#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

namespace mmwemu {

/// One request, built in place.
class Netlink::Message {
  public:
    template <typename Body>
    Message(std::uint16_t type, std::uint16_t flags, const Body& body) {
        header()->nlmsg_len = NLMSG_LENGTH(sizeof body);
        header()->nlmsg_type = type;
        header()->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
        std::memcpy(NLMSG_DATA(header()), &body, sizeof body);
    }

    rtattr* add(std::uint16_t type, const void* data, std::size_t bytes) {
        auto* attribute = reinterpret_cast<rtattr*>(buffer_.data() + NLMSG_ALIGN(header()->nlmsg_len));
        attribute->rta_type = type;
        attribute->rta_len = static_cast<std::uint16_t>(RTA_LENGTH(bytes));
        if (bytes > 0) std::memcpy(RTA_DATA(attribute), data, bytes);
        header()->nlmsg_len =
            static_cast<std::uint32_t>(NLMSG_ALIGN(header()->nlmsg_len) + RTA_ALIGN(RTA_LENGTH(bytes)));
        return attribute;
    }
    void close(rtattr* nest) {
        nest->rta_len =
            static_cast<std::uint16_t>(buffer_.data() + header()->nlmsg_len - reinterpret_cast<char*>(nest));
    }
    nlmsghdr* header() { return reinterpret_cast<nlmsghdr*>(buffer_.data()); }

  private:
    alignas(nlmsghdr) std::array<char, 512> buffer_{};
};

Netlink::Netlink()
    : socket_(check(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), "socket NETLINK_ROUTE")) {}

void Netlink::request(Message& message, const std::string& what) {
    message.header()->nlmsg_seq = ++sequence_;
    check(::send(socket_.get(), message.header(), message.header()->nlmsg_len, 0), "netlink send: " + what);
    alignas(nlmsghdr) std::array<char, 4096> answer{};
    const ssize_t bytes = check(::recv(socket_.get(), answer.data(), answer.size(), 0), "netlink recv: " + what);
    const auto* header = reinterpret_cast<const nlmsghdr*>(answer.data());
    if (static_cast<std::size_t>(bytes) < NLMSG_LENGTH(sizeof(nlmsgerr)) || header->nlmsg_type != NLMSG_ERROR) {
        throw std::runtime_error("netlink: " + what + ": unexpected answer");
    }
    errno = -static_cast<const nlmsgerr*>(NLMSG_DATA(header))->error;
    if (errno != 0) fail("netlink: " + what);
}

void Netlink::set_up(int device, std::uint32_t queue_packets) {
    ifinfomsg body{};
    body.ifi_family = AF_UNSPEC;
    body.ifi_index = device;
    body.ifi_flags = IFF_UP;
    body.ifi_change = IFF_UP;
    Message message(RTM_NEWLINK, 0, body);
    if (queue_packets > 0) message.add(IFLA_TXQLEN, &queue_packets, sizeof queue_packets);
    request(message, "set device " + std::to_string(device) + " up");
}

void Netlink::add_address(int device, std::uint32_t address) {
    ifaddrmsg body{};
    body.ifa_family = AF_INET;
    body.ifa_prefixlen = 32;
    body.ifa_index = static_cast<std::uint32_t>(device);
    Message message(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, body);
    message.add(IFA_LOCAL, &address, sizeof address);
    message.add(IFA_ADDRESS, &address, sizeof address);
    request(message, "add address");
}

void Netlink::set_route(int device, std::uint32_t source, int prefix, const Metrics& values) {
    rtmsg body{};
    body.rtm_family = AF_INET;
    body.rtm_dst_len = static_cast<unsigned char>(prefix);
    body.rtm_table = RT_TABLE_MAIN;
    body.rtm_protocol = RTPROT_STATIC;
    body.rtm_scope = RT_SCOPE_LINK;
    body.rtm_type = RTN_UNICAST;
    Message message(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, body);
    if (prefix > 0) {
        const std::uint32_t network = source & ::htonl(~0U << (32 - prefix));
        message.add(RTA_DST, &network, sizeof network);
    }
    message.add(RTA_OIF, &device, sizeof device);
    message.add(RTA_PREFSRC, &source, sizeof source);
    rtattr* metrics = message.add(RTA_METRICS, nullptr, 0);
    const std::uint32_t features = values.ecn ? RTAX_FEATURE_ECN : 0;
    message.add(RTAX_FEATURES, &features, sizeof features);
    if (!values.congestion_control.empty()) {
        message.add(RTAX_CC_ALGO, values.congestion_control.c_str(), values.congestion_control.size() + 1);
    }
    if (values.initial_window > 0) {
        message.add(RTAX_INITCWND, &values.initial_window, sizeof values.initial_window);
        message.add(RTAX_INITRWND, &values.initial_window, sizeof values.initial_window);
    }
    message.close(metrics);
    request(message, "set route with congestion control '" + values.congestion_control + "'");
}

}  // namespace mmwemu
