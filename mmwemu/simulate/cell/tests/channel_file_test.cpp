// SPDX-License-Identifier: GPL-2.0-only
#include "core/channel_file.h"

#include <unistd.h>

#include <filesystem>

#include "core/recorder.h"
#include "tests/near.h"

using namespace mmwemu;

namespace {

struct TemporaryFile {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("cell-tests-" + std::to_string(::getpid()) + ".channel");
    ~TemporaryFile() { std::filesystem::remove(path); }
};

ChannelHeader header(std::uint64_t value_bytes) {
    return {"abc", 7, 3, 4, value_bytes, kMillisecond};
}

void write(const std::string& path, std::uint64_t value_bytes, int samples = 4) {
    ChannelFileWriter writer(path, header(value_bytes));
    for (int i = 0; i < samples; ++i) {
        writer.write(i % 2 == 0, i == 3, std::vector<double>{i + 0.5, 1e-12, 0.25});
    }
}

std::string problem(const std::string& path, const std::string& hash, Time duration) {
    try {
        ChannelFileReader reader(path, hash, duration);
    } catch (const ChannelFileError& error) {
        return std::string(error.what()).substr(path.size());
    }
    return "";
}

}  // namespace

TEST_CASE("What is written is read") {
    for (const std::uint64_t value_bytes : {4u, 8u}) {
        const TemporaryFile file;
        write(file.path, value_bytes);
        ChannelFileReader reader(file.path, "abc", 4 * kMillisecond);
        CHECK(reader.header().seed == 7);
        CHECK(reader.header().period == kMillisecond);
        for (int i = 0; i < 4; ++i) {
            const ChannelRecord& record = reader.next();
            CHECK(record.los == (i % 2 == 0));
            CHECK(record.searching == (i == 3));
            CHECK(record.gain[0] == i + 0.5);
            CHECK(record.gain[1] == Near(1e-12, value_bytes == 8 ? 0 : 1e-18));
        }
        CHECK_THROWS_AS(reader.next(), ChannelFileError);
    }
}

TEST_CASE("A file that does not fit is refused") {
    const TemporaryFile file;
    write(file.path, 8);
    CHECK(problem(file.path, "abd", kMillisecond) == ": holds the channel of another scenario");
    CHECK(problem(file.path, "abc", 5 * kMillisecond) == ": holds 0.004 s; the scenario lasts 0.005 s");
    std::filesystem::resize_file(file.path, std::filesystem::file_size(file.path) - 1);
    CHECK(problem(file.path, "abc", kMillisecond) == ": is not as long as its header says");
    write(file.path, 8, 3);
    CHECK(problem(file.path, "abc", kMillisecond) == ": is not as long as its header says");
    std::filesystem::resize_file(file.path, 0);
    CHECK(problem(file.path, "abc", kMillisecond) == ": is not a file of channel realisations of format 1");
    std::filesystem::remove(file.path);
    CHECK(problem(file.path, "abc", kMillisecond) == ": cannot be read: No such file or directory");
}

TEST_CASE("A full disk is an error") {
    CHECK_THROWS_AS(write("/dev/full", 8), WriteError);
}
