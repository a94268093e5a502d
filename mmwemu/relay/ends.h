// The two sockets of a relayed connection: the one that was accepted, and the one onwards.

#pragma once

#include <netinet/in.h>

#include "system/sys.h"

namespace mmwemu {

/// A socket, and what epoll said of it that no call has contradicted since.
struct End {
    Fd socket;
    bool readable = false;
    bool writable = false;
};

/// How connections come here, and as whom they go on.
enum class Mode {
    transparent,  ///< delivered with the destination's address (TPROXY); onwards with the address of who opened it
    redirected,   ///< with a translated destination (nftables' dnat); onwards with an address of this machine
};

/// Open a socket that accepts connections to any port; `port` becomes its own.
Fd listen_at(const sockaddr_in& address, Mode mode, int& port);
/// Start to connect to where an accepted connection was meant to go; throws.
Fd connect_onwards(const Fd& accepted, Mode mode);
/// The error that a socket met, 0 for none.
int error_of(const Fd& socket);
/// Pass on data as it comes, urgent data in its place.
void set_options(const Fd& socket);
/// Make closing a socket reset its connection.
void reset_when_closed(const Fd& socket);

}  // namespace mmwemu
