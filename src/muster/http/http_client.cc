#include "muster/http/http_client.h"

#include <curl/curl.h>

#include <array>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"

namespace muster::service {
namespace {

// What libcurl says in detail of a name or a certificate is the same each time. Of a connection it says, too,
// after how many milliseconds it failed, which would make each failure look like another one.
std::string reason_of(CURLcode result, const char* details) {
  if (result == CURLE_WRITE_ERROR) return "the answer is longer than it can be";
  const bool is_stable = result == CURLE_COULDNT_RESOLVE_HOST || result == CURLE_PEER_FAILED_VERIFICATION;
  return is_stable && *details != '\0' ? details : curl_easy_strerror(result);
}

}  // namespace

struct HttpClient::State {
  struct Cleanup {
    void operator()(CURL* ended) const { curl_easy_cleanup(ended); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  std::string base;
  std::array<char, CURL_ERROR_SIZE> why{};  // libcurl's words on what went wrong
  std::unique_ptr<CURL, Cleanup> handle;
  std::unique_ptr<curl_slist, FreeList> headers;
  wire::Buffer body;
  std::size_t max_body = 0;

  static std::size_t take(char* data, std::size_t size, std::size_t count, void* self) {
    auto& state = *static_cast<State*>(self);
    const std::size_t length = size * count;
    if (length > state.max_body - state.body.size()) return 0;  // ends the transfer with an error
    state.body.insert(state.body.end(), data, data + length);
    return length;
  }

  template <typename Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(handle.get(), option, value) != CURLE_OK) {
      throw Error(ErrorCode::internal, "libcurl", "", "", "refuses an option");
    }
  }
};

HttpClient::HttpClient(std::string base, const std::string& ca, unsigned timeout_seconds)
    : state_(std::make_unique<State>()) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  if (!base.starts_with("http://") && !base.starts_with("https://")) {
    throw Error(ErrorCode::plan, Reason::malformed, "URL", base, "http://HOST:PORT or https://HOST:PORT",
                "is not the address of a server");
  }
  while (base.ends_with('/')) base.pop_back();
  state_->base = std::move(base);
  state_->handle.reset(curl_easy_init());
  if (!state_->handle) throw std::bad_alloc();
  for (const char* unwanted : {"Accept:", "Expect:", "Content-Type:"}) {
    state_->headers.reset(curl_slist_append(state_->headers.release(), unwanted));
  }
  state_->set(CURLOPT_HTTPHEADER, state_->headers.get());
  state_->set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  state_->set(CURLOPT_PROTOCOLS_STR, "http,https");
  state_->set(CURLOPT_NOSIGNAL, 1L);
  state_->set(CURLOPT_TIMEOUT, static_cast<long>(timeout_seconds));
  state_->set(CURLOPT_WRITEFUNCTION, &State::take);
  state_->set(CURLOPT_WRITEDATA, static_cast<void*>(state_.get()));
  state_->set(CURLOPT_ERRORBUFFER, state_->why.data());
  if (ca.empty()) return;
  // If the file had no certificates in it, every server would seem to be unreachable.
  if (read_file(ca).find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
    throw Error(ErrorCode::file, ca, "", "certificates of authorities (PEM)", "has no certificate");
  }
  state_->set(CURLOPT_CAINFO, ca.c_str());
}

HttpClient::~HttpClient() = default;

HttpClient::Answer HttpClient::perform(const std::string& path, std::size_t max_body) {
  state_->body.clear();
  state_->max_body = max_body;
  state_->set(CURLOPT_URL, (state_->base + path).c_str());
  state_->why[0] = '\0';
  const CURLcode result = curl_easy_perform(state_->handle.get());
  if (result != CURLE_OK) throw Unreachable(reason_of(result, state_->why.data()));
  long status = 0;
  curl_easy_getinfo(state_->handle.get(), CURLINFO_RESPONSE_CODE, &status);
  return {status, std::move(state_->body)};
}

HttpClient::Answer HttpClient::get(const std::string& path, std::size_t max_body) {
  state_->set(CURLOPT_HTTPGET, 1L);
  return perform(path, max_body);
}

HttpClient::Answer HttpClient::post(const std::string& path, wire::Bytes body, std::size_t max_body) {
  state_->set(CURLOPT_POST, 1L);
  state_->set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  state_->set(CURLOPT_POSTFIELDS, body.empty() ? "" : reinterpret_cast<const char*>(body.data()));
  return perform(path, max_body);
}

}  // namespace muster::service
