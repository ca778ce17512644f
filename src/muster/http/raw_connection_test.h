// A connection of TCP to this machine, on which a test sends what no client of HTTP would. Belongs to one
// thread.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace muster::service {

class RawConnection {
 public:
  explicit RawConnection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    timeval patience{5, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  void send(const std::string& bytes) { ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  int descriptor() const { return socket_; }
  // What has come, or comes next.
  std::string some() {
    std::string piece(4096, '\0');
    const ssize_t got = ::recv(socket_, piece.data(), piece.size(), 0);
    return piece.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  // What comes until the server closes the connection.
  std::string rest() {
    std::string all, piece(4096, '\0');
    for (ssize_t got; (got = ::recv(socket_, piece.data(), piece.size(), 0)) > 0;) {
      all.append(piece, 0, static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  int socket_;
};

}  // namespace muster::service
