// SPDX-License-Identifier: GPL-2.0-only
#include "tests/check.h"

int main() {
    for (const check::Test& test : check::tests()) {
        const int before = check::failures();
        test.body();
        std::printf("%s %s\n", check::failures() == before ? "ok    " : "FAILED", test.name);
    }
    return check::failures() == 0 ? 0 : 1;
}
