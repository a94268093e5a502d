#include "system/tied.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace mmwemu {

int become_tied(int parent_pid, char* const argv[]) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);       // cannot fail with a valid signal
    if (::getppid() != parent_pid) return 1;  // it has ended already
    ::execvp(argv[0], argv);
    std::fprintf(stderr, "mmwemu-link: cannot run %s: %s\n", argv[0], std::strerror(errno));
    return errno == ENOENT ? 127 : 126;
}

}  // namespace mmwemu
