#include <cstring>

#include "tests/testing.h"

int main(int argc, char* argv[]) {
    int run = 0;
    for (const TestCase& test : test_cases()) {
        if (argc > 1 && std::strcmp(argv[1], test.name.c_str()) != 0) continue;
        const int before = failures();
        test.run();
        ++run;
        if (failures() > before) std::cerr << "FAILED " << test.name << "\n";
    }
    std::cout << run << " tests, " << failures() << " failed checks\n";
    return failures() == 0 && run > 0 ? 0 : 1;
}
