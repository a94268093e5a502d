// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

/// The smallest test frame that does: TEST(name) { CHECK(condition); }.
namespace check {

struct Test {
    const char* name;
    void (*body)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Register {
    Register(const char* name, void (*body)()) { tests().push_back({name, body}); }
};

inline void fail(const char* file, int line, const std::string& what) {
    ++failures();
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

inline bool near(double a, double b, double tolerance) {
    return std::abs(a - b) <= tolerance;
}

}  // namespace check

#define TEST(name)                                             \
    static void name();                                        \
    static const check::Register register_##name(#name, name); \
    static void name()

#define CHECK(condition) \
    if (!(condition)) check::fail(__FILE__, __LINE__, "is not so: " #condition)

#define CHECK_NEAR(value, expected, tolerance)    \
    if (!check::near(value, expected, tolerance)) \
    check::fail(__FILE__, __LINE__, #value " is " + std::to_string(value) + ", not " #expected)
