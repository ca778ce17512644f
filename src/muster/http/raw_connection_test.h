// A connection of TCP to this machine, on which a test sends what no client of HTTP would, and a listener,
// which answers what no server would. Each object belongs to one thread.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
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
    be_patient();
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // Returns whether the other side takes the bytes.
  bool send(const std::string& bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0;
  }
  int descriptor() const { return socket_; }
  // Returns the bytes that have come or, if there are none, waits for the next ones.
  std::string some() {
    std::string piece(4096, '\0');
    const ssize_t got = ::recv(socket_, piece.data(), piece.size(), 0);
    return piece.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  // Returns all bytes that come until the server closes the connection.
  std::string rest() {
    std::string all, piece(4096, '\0');
    for (ssize_t got; (got = ::recv(socket_, piece.data(), piece.size(), 0)) > 0;) {
      all.append(piece, 0, static_cast<std::size_t>(got));
    }
    return all;
  }
  // Whether the other side has closed the connection, without waiting for it.
  bool is_closed() const {
    char byte = 0;
    const ssize_t got = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
  }

 private:
  friend class RawListener;
  struct Accepted {
    int socket;
  };
  explicit RawConnection(Accepted accepted) : socket_(accepted.socket) { be_patient(); }
  void be_patient() const {
    timeval patience{5, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }

  int socket_;
};

class RawListener {
 public:
  RawListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    socklen_t length = sizeof address_;
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address_), &length), 0);
  }
  ~RawListener() { ::close(socket_); }
  RawListener(const RawListener&) = delete;
  RawListener& operator=(const RawListener&) = delete;

  std::string host() const { return "127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }
  // The next connection; null if none comes within this time.
  std::unique_ptr<RawConnection> accept(int milliseconds) {
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, milliseconds) != 1) return nullptr;
    return std::unique_ptr<RawConnection>(
        new RawConnection(RawConnection::Accepted{::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)}));
  }

 private:
  int socket_;
  sockaddr_in address_{};
};

}  // namespace muster::service
