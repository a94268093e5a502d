#include "system/packet_file.h"

#include <unistd.h>

namespace mmwemu {

void PacketFile::finish() {
    log.flush();
    if (error_ != 0) throw std::system_error(error_, std::generic_category(), "the packets file cannot be written");
}

void PacketFile::write(const PacketLog::Chunk& chunk) {
    std::size_t done = 0;
    while (done < chunk.size() && error_ == 0) {
        const ssize_t bytes = ::write(file_.get(), chunk.data() + done, chunk.size() - done);
        if (bytes >= 0) {
            done += static_cast<std::size_t>(bytes);
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
}

}  // namespace mmwemu
