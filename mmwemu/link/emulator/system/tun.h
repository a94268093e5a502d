// A TUN device: one end of the link.

#pragma once

#include <cstdint>
#include <string>

#include "core/packet.h"
#include "core/train.h"
#include "system/netlink.h"
#include "system/sys.h"

namespace mmwemu {

/// A TUN device with checksum and TCP segmentation offload, in the network namespace it was made in.
class Tun {
  public:
    static constexpr int kMtuBytes = 1500;
    /// Packets that the kernel holds until they are read; enough for short stalls of this process.
    static constexpr int kQueuePackets = 4096;

    /// Make the device with its address, bring loopback up, and route the network of the first `prefix` bits of the
    /// address, with 0 all networks, through the device; throws Missing if there is no TUN.
    Tun(const std::string& name, std::uint32_t address, int prefix);

    int fd() const { return fd_.get(); }

    /// Read the next packet that was sent into the device; none if no packet waits.
    PacketRef read(PacketPool& pool);
    /// Hand a train to the namespace's stack; false if the kernel refuses it.
    bool write(Train& train);
    /// The number of packets that the kernel has dropped because they were not read in time.
    std::uint64_t overruns();

    /// Set the congestion control of new connections; throws std::system_error if the kernel lacks it.
    void set_congestion_control(const std::string& name);
    /// Set whether TCP negotiates ECN in new connections.
    void set_ecn(bool ecn);
    /// Set the initial windows of new connections, in packets; 0 for the kernel's own.
    void set_initial_window(std::uint32_t packets);

  private:
    std::string name_;
    std::uint32_t address_;
    int prefix_;
    Fd fd_;
    Fd statistics_;
    Netlink netlink_;
    int index_ = 0;
    Netlink::Metrics metrics_;
};

}  // namespace mmwemu
