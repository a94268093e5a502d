// SPDX-License-Identifier: GPL-2.0-only
#include "core/sdu_queue.h"

#include <algorithm>

namespace mmwemu {

bool SduQueue::push(const Sdu& sdu) {
    if (bytes_ + sdu.bytes > most_bytes_) return false;
    sdus_.push_back(sdu);
    sdus_.back().id = taken_++;
    bytes_ += sdu.bytes;
    return true;
}

std::pair<std::shared_ptr<const Layout>, std::uint32_t> SduQueue::take(std::uint32_t room) {
    auto layout = std::make_shared<Layout>();
    std::uint32_t data = 0;
    while (!sdus_.empty() && room > kLengthBytes) {
        const Sdu& sdu = sdus_.front();
        const std::uint32_t taken = std::min(sdu.bytes - first_sent_, room - kLengthBytes);
        layout->push_back({sdu, {first_sent_, first_sent_ + taken}});
        data += taken;
        room -= taken + kLengthBytes;
        first_sent_ += taken;
        if (first_sent_ < sdu.bytes) break;
        sdus_.pop_front();
        first_sent_ = 0;
    }
    bytes_ -= data;
    return {std::move(layout), data};
}

}  // namespace mmwemu
