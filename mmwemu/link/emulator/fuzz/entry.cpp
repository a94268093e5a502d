// The entry of libFuzzer for one target, named by the build.

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FUZZ_TARGET(data, size);
    return 0;
}
