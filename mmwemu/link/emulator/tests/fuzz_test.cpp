#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/targets.h"
#include "tests/helpers.h"

namespace {

/// Run a target over its seeds, which include the inputs that fuzzing found.
int run_over_seeds(const std::string& name, void (*target)(const std::uint8_t*, std::size_t)) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(FUZZ_SEEDS "/" + name)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::vector<char> data{std::istreambuf_iterator<char>(file), {}};
        target(reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
        ++count;
    }
    return count;
}

TEST_CASE("The fuzz target for messages accepts its seeds") {
    CHECK(run_over_seeds("messages", fuzz_messages) > 0);
}

TEST_CASE("The fuzz target for packets accepts its seeds") {
    CHECK(run_over_seeds("packets", fuzz_packets) > 0);
}

TEST_CASE("The fuzz target for the proxy accepts its seeds, and a thousand inputs at random") {
    CHECK(run_over_seeds("proxy", fuzz_proxy) > 0);
    std::mt19937 random(1);
    for (int i = 0; i < 1000; ++i) {
        std::vector<std::uint8_t> data(8192);
        for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
        fuzz_proxy(data.data(), data.size());
    }
}

}  // namespace
