// The socket by which the parent process sends messages and gets answers.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "system/sys.h"

namespace mmwemu {

/// One message and the files that came with it.
struct Message {
    std::string text;
    std::vector<Fd> files;
};

/// The socket to the parent process; each message gets one answer.
class ControlSocket {
  public:
    explicit ControlSocket(int fd) : fd_(fd) {}
    int fd() const { return fd_.get(); }
    /// The next message; none when the parent has ended. Throws std::invalid_argument if it is too long.
    std::optional<Message> receive();
    void send(const std::string& text);

  private:
    Fd fd_;
};

}  // namespace mmwemu
