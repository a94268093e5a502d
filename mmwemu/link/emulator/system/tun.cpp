#include "system/tun.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>

namespace mmwemu {

namespace {

Fd open_tun() {
    Fd fd(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (fd) return fd;
    const std::string what = std::string("open /dev/net/tun: ") + std::strerror(errno);
    if (errno == EACCES || errno == EPERM) throw Missing("tun-access", what);
    throw Missing("tun", what);
}

ifreq request_for(const std::string& name) {
    ifreq request{};
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    return request;
}

}  // namespace

Tun::Tun(const std::string& name, std::uint32_t address, int prefix) : name_(name), address_(address), prefix_(prefix) {
    fd_ = open_tun();
    ifreq request = request_for(name);
    request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
    check(::ioctl(fd_.get(), TUNSETIFF, &request), "ioctl TUNSETIFF " + name);
    check(::ioctl(fd_.get(), TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN),
          "ioctl TUNSETOFFLOAD " + name);

    const Fd socket(check(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket AF_INET"));
    request = request_for(name);
    request.ifr_mtu = kMtuBytes;
    check(::ioctl(socket.get(), SIOCSIFMTU, &request), "ioctl SIOCSIFMTU " + name);
    request = request_for(name);
    check(::ioctl(socket.get(), SIOCGIFINDEX, &request), "ioctl SIOCGIFINDEX " + name);
    index_ = request.ifr_ifindex;
    request = request_for("lo");
    check(::ioctl(socket.get(), SIOCGIFINDEX, &request), "ioctl SIOCGIFINDEX lo");

    netlink_.set_up(request.ifr_ifindex);
    netlink_.set_up(index_, kQueuePackets);
    netlink_.add_address(index_, address_);
    netlink_.set_route(index_, address_, prefix_, Netlink::Metrics{});
    statistics_ = open_file("/proc/thread-self/net/dev", O_RDONLY);
}

PacketRef Tun::read(PacketPool& pool) {
    PacketRef packet = pool.take(PacketPool::kLargeBytes);
    iovec parts[] = {{&packet->vnet, sizeof packet->vnet}, {packet->data(), packet->capacity()}};
    const ssize_t bytes = ::readv(fd_.get(), parts, 2);
    if (bytes < 0) {
        if (errno == EAGAIN || errno == EINTR) return {};
        fail("read " + name_);
    }
    const auto length = static_cast<std::size_t>(bytes) - sizeof packet->vnet;
    packet->length = static_cast<std::uint32_t>(length);
    if (length > PacketPool::kSmallBytes) return packet;
    PacketRef small = pool.take(length);
    small->vnet = packet->vnet;
    small->length = packet->length;
    std::memcpy(small->data(), packet->data(), length);
    return small;
}

bool Tun::write(Train& train) {
    std::array<iovec, 2 + Train::kMaxPieces> parts;
    auto part = [](const void* data, std::size_t bytes) { return iovec{const_cast<void*>(data), bytes}; };
    parts[0] = part(&train.finish(), sizeof(VnetHeader));
    parts[1] = part(train.header().data(), train.header().size());
    int count = 2;
    for (const auto& piece : train.pieces())
        parts[static_cast<std::size_t>(count++)] = part(piece.data(), piece.size());
    return ::writev(fd_.get(), parts.data(), count) >= 0;
}

std::uint64_t Tun::overruns() {
    // Read page by page: many devices in the network make the table longer than a page.
    std::string table;
    for (std::array<char, 4096> page;;) {
        const ssize_t bytes = check(
            ::pread(statistics_.get(), page.data(), page.size(), static_cast<off_t>(table.size())), "read net/dev");
        if (bytes == 0) break;
        table.append(page.data(), static_cast<std::size_t>(bytes));
    }
    // One name may be the end of another: the whole name follows a space or begins a line.
    std::size_t at = table.find(name_ + ':');
    while (at != std::string::npos && at > 0 && table[at - 1] != ' ' && table[at - 1] != '\n') {
        at = table.find(name_ + ':', at + 1);
    }
    unsigned long long dropped = 0;
    // Eight columns of received packets, then bytes, packets, errors and drops of sent ones.
    if (at == std::string::npos || std::sscanf(table.c_str() + at + name_.size() + 1,
                                               "%*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %llu", &dropped) != 1) {
        throw std::runtime_error("net/dev has no line for " + name_);
    }
    return dropped;
}

void Tun::set_congestion_control(const std::string& name) {
    Netlink::Metrics metrics = metrics_;
    metrics.congestion_control = name;
    netlink_.set_route(index_, address_, prefix_, metrics);
    metrics_ = metrics;
}

void Tun::set_ecn(bool ecn) {
    if (ecn == metrics_.ecn) return;
    metrics_.ecn = ecn;
    netlink_.set_route(index_, address_, prefix_, metrics_);
}

void Tun::set_initial_window(std::uint32_t packets) {
    metrics_.initial_window = packets;
    netlink_.set_route(index_, address_, prefix_, metrics_);
}

}  // namespace mmwemu
