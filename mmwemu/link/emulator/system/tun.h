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
    /// What the kernel holds that is not read yet; for while this process is held up.
    static constexpr int kQueuePackets = 4096;

    /// Makes the device and its namespace's loopback, addresses and a route to the network of the first `prefix` bits
    /// of its address, with 0 to everything; throws Missing where TUN cannot be had.
    Tun(const std::string& name, std::uint32_t address, int prefix);

    int fd() const { return fd_.get(); }

    /// The next packet that was sent into the device; none if there is none now.
    PacketRef read(PacketPool& pool);
    /// Hand a train to the namespace's stack; false if the kernel did not take it.
    bool write(Train& train);
    /// Packets the kernel dropped since the device was made because nobody read them in time.
    std::uint64_t overruns();

    /// Make an algorithm the one of all new connections; throws std::system_error where the kernel does not have it.
    void set_congestion_control(const std::string& name);
    /// Let TCP ask for explicit congestion notification in new connections, or not.
    void set_ecn(bool ecn);

  private:
    std::string name_;
    std::uint32_t address_;
    int prefix_;
    Fd fd_;
    Fd statistics_;
    Netlink netlink_;
    int index_ = 0;
    std::string congestion_control_;
    bool ecn_ = false;
};

}  // namespace mmwemu
