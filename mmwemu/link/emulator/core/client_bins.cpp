#include "core/client_bins.h"

#include <cmath>

namespace mmwemu {

void ClientBins::used(Time begin, Time end, std::size_t client, double bits) {
    if (std::isinf(bits)) {
        at(begin, client).granted_bytes = ClientRecord::kUnlimited;
        return;
    }
    const double bytes_per_ns = end > begin ? bits / 8 / static_cast<double>(end - begin) : 0;
    while (begin < end) {
        const Time until = std::min(end, (begin / Bins::kWidth + 1) * Bins::kWidth);
        ClientRecord& record = at(begin, client);
        record.airtime_ns += static_cast<std::uint32_t>(until - begin);
        if (record.granted_bytes != ClientRecord::kUnlimited) {
            record.granted_bytes += narrow(std::llround(bytes_per_ns * static_cast<double>(until - begin)));
        }
        begin = until;
    }
}

}  // namespace mmwemu
