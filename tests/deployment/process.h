// A process of the simulated deployment: a role on its disk, which may die at any operation on that disk, and
// which others then cannot reach. It belongs to the thread of the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "muster/core/error.h"
#include "muster/service/ports/ports.h"
#include "muster/service/store/disk_test.h"

namespace muster::deployment {

// A process, whatever its role is.
class AnyProcess {
 public:
  AnyProcess() = default;
  AnyProcess(const AnyProcess&) = delete;
  AnyProcess& operator=(const AnyProcess&) = delete;
  virtual ~AnyProcess() = default;

  virtual void start() = 0;  // does nothing if it runs
  virtual void stop() = 0;
  virtual bool runs() const = 0;

  service::Disk& disk() { return disk_; }
  std::uint64_t deaths() const { return deaths_; }
  // Why it refused to start or to go on; empty if it did not.
  const std::string& refusal() const { return refusal_; }

 protected:
  service::Disk disk_;
  std::string refusal_;
  std::uint64_t deaths_ = 0;
};

template <typename T>
class Process final : public AnyProcess {
 public:
  using Make = std::function<std::unique_ptr<T>(service::Disk&)>;
  explicit Process(Make make) : make_(std::move(make)) {}

  void start() override {
    if (role_) return;
    refusal_.clear();
    attempt([&] { role_ = make_(disk_); });
  }
  void stop() override { role_.reset(); }
  bool runs() const override { return role_ != nullptr; }

  // Calls the role. Throws Unreachable if it does not run, or dies while it works.
  template <typename Work>
  auto call(const Work& work) -> decltype(work(std::declval<T&>())) {
    if (!role_) throw service::Unreachable();
    std::optional<decltype(work(*role_))> result;
    attempt([&] { result.emplace(work(*role_)); });
    if (!result) throw service::Unreachable();
    return *std::move(result);
  }
  // Lets the role do something by itself.
  template <typename Work>
  void let(const Work& work) {
    if (role_) attempt([&] { work(*role_); });
  }

 private:
  template <typename Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const service::Killed&) {
      die();
    } catch (const Error& error) {
      // A process ends at an error of its files, and an operator reads why.
      refusal_ = error.what();
      role_.reset();
    }
  }
  void die() {
    ++deaths_;
    role_.reset();
    disk_.crash([&](std::size_t most) { return most == 0 ? 0 : random_() % (most + 1); });
  }

  Make make_;
  std::unique_ptr<T> role_;
  std::mt19937_64 random_{7};
};

}  // namespace muster::deployment
