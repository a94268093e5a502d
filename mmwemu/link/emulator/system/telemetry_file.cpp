#include "system/telemetry_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <stdexcept>

namespace mmwemu {

namespace {
constexpr std::size_t kPageBytes = 4096;
}

TelemetryFile::TelemetryFile(const Fd& file, std::size_t clients) : clients_(clients) {
    struct stat status {};
    check(::fstat(file.get(), &status), "fstat telemetry");
    bytes_ = static_cast<std::size_t>(status.st_size);
    if (bytes_ < kPageBytes) throw std::invalid_argument("telemetry: the file is smaller than its header");
    bins_ = (bytes_ - kPageBytes) / (2 * (sizeof(Record) + clients_ * sizeof(ClientRecord)));
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory_ == MAP_FAILED) fail("mmap telemetry");
}

TelemetryFile::~TelemetryFile() {
    ::munmap(memory_, bytes_);
}

std::span<Record> TelemetryFile::records() const {
    auto* first = reinterpret_cast<Record*>(static_cast<char*>(memory_) + kPageBytes);
    return {first, 2 * bins_};
}

std::span<ClientRecord> TelemetryFile::client_records() const {
    return {reinterpret_cast<ClientRecord*>(records().data() + 2 * bins_), 2 * bins_ * clients_};
}

}  // namespace mmwemu
