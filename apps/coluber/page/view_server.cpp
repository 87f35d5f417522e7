// The only file that includes httplib.h: it is large, and its <resolv.h> defines macros.
#include "page/view_server.hpp"

#include <fmt/format.h>

#include "coluber/core/error.hpp"

#include "page/replay_page.hpp"

#ifdef COLUBER_HAS_HTTPLIB

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace coluber::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t head_limit = 16 * 1024;  // bytes of a request
constexpr std::size_t line_limit = 64;         // lines of a request
constexpr auto head_time = std::chrono::seconds(5);
constexpr auto stall_time = std::chrono::seconds(10);  // of a client that reads nothing
constexpr std::size_t clients_at_once = 16;
constexpr std::size_t clients_waiting = 32;

/// Threads with a bounded queue: where it is full, the one who accepts connections waits.
class BoundedPool final : public httplib::TaskQueue {
 public:
  BoundedPool() {
    for (std::size_t k = 0; k < clients_at_once; ++k) threads_.emplace_back([this] { work(); });
  }

  void enqueue(std::function<void()> task) override {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return tasks_.size() < clients_waiting; });
    tasks_.push_back(std::move(task));
    some_.notify_one();
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    some_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        some_.wait(lock, [&] { return ending_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
        room_.notify_one();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable some_;
  std::condition_variable room_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool ending_ = false;
};

/// Waits for the socket in short turns, so that the end of the program is noticed.
bool wait_for(socket_t sock, short event, Clock::time_point end, const std::atomic<bool>& ending) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 || ending) return false;
    pollfd item{sock, event, 0};
    const int ready = ::poll(&item, 1, static_cast<int>(std::min<long long>(left, 100)));
    if (ready > 0) return (item.revents & (event | POLLHUP)) != 0;
    if (ready < 0 && errno != EINTR) return false;
  }
}

/// Gives httplib a request that was read and checked before, and its answer to the client.
class CheckedStream final : public httplib::Stream {
 public:
  CheckedStream(socket_t sock, std::string head, const std::atomic<bool>& ending)
      : sock_(sock), head_(std::move(head)), ending_(ending) {}

  [[nodiscard]] bool is_readable() const override { return at_ < head_.size(); }
  [[nodiscard]] bool is_writable() const override { return !ending_; }
  ssize_t read(char* out, size_t size) override {
    const std::size_t count = std::min(size, head_.size() - at_);
    std::memcpy(out, head_.data() + at_, count);
    at_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* data, size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      if (!wait_for(sock_, POLLOUT, Clock::now() + stall_time, ending_)) return -1;
      const ssize_t sent = ::send(sock_, data + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) continue;
      if (sent <= 0) return -1;
      done += static_cast<std::size_t>(sent);
    }
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = "127.0.0.1";
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip = "127.0.0.1";
    port = 0;
  }
  [[nodiscard]] socket_t socket() const override { return sock_; }

 private:
  socket_t sock_;
  std::string head_;
  std::size_t at_ = 0;
  const std::atomic<bool>& ending_;
};

/// What came of reading a request: its head, or the status to refuse it with (0: just hang up).
struct Head {
  std::string text;
  int refusal = 0;
};

Head read_head(socket_t sock, const std::atomic<bool>& ending) {
  const auto end = Clock::now() + head_time;
  Head head;
  std::array<char, 4096> chunk{};
  for (;;) {
    if (const std::size_t at = head.text.find("\r\n\r\n"); at != std::string::npos) {
      head.text.resize(at + 4);  // what follows would be a body; none is taken
      return head;
    }
    if (head.text.size() >= head_limit) return {{}, 431};
    if (!wait_for(sock, POLLIN, end, ending)) return {{}, head.text.empty() ? 0 : 408};
    const std::size_t room = std::min(chunk.size(), head_limit - head.text.size());
    const ssize_t got = ::recv(sock, chunk.data(), room, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) continue;
    if (got <= 0) return {{}, 0};
    head.text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  });
}

/// Strict reading of a request: a request line of three words and headers `name: value`, of which
/// only those the answer depends on are passed on. A fault becomes a refusal.
void check_head(Head& head) {
  const auto refuse = [&](int status) { head = {{}, status}; };
  std::string_view rest = head.text;
  const auto next_line = [&rest] {
    const std::size_t at = rest.find("\r\n");
    const std::string_view line = rest.substr(0, at);
    rest.remove_prefix(at + 2);
    return line;
  };
  const std::string_view request = next_line();
  const std::size_t one = request.find(' ');
  const std::size_t two = request.rfind(' ');
  if (one == std::string_view::npos || two <= one) return refuse(400);
  const std::string_view method = request.substr(0, one);
  const std::string_view target = request.substr(one + 1, two - one - 1);
  const std::string_view version = request.substr(two + 1);
  const auto plain = [](char c) { return c > ' ' && c < 127; };
  if (!std::all_of(target.begin(), target.end(), plain)) return refuse(400);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return refuse(505);
  if (method != "GET" && method != "HEAD") {
    const bool word = !method.empty() && std::all_of(method.begin(), method.end(), plain);
    return refuse(word ? 405 : 400);
  }
  if (target.size() > 256) return refuse(414);
  if (!target.starts_with('/')) return refuse(400);
  // the page keeps its state behind #, which is not sent; what stands behind ? means nothing
  std::string passed =
      fmt::format("{} {} HTTP/1.1\r\n", method, target.substr(0, target.find('?')));
  std::size_t lines = 0;
  std::size_t hosts = 0;
  for (std::string_view line = next_line(); !line.empty(); line = next_line()) {
    if (++lines > line_limit) return refuse(431);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return refuse(400);
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t'))
      value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
    if (!std::all_of(name.begin(), name.end(), plain)) return refuse(400);
    if (std::any_of(value.begin(), value.end(),
                    [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 127; })) {
      return refuse(400);
    }
    if (same_word(name, "transfer-encoding")) return refuse(400);
    if (same_word(name, "content-length") && value != "0") return refuse(413);
    if (same_word(name, "origin") && value.empty()) return refuse(400);  // httplib would lose it
    if (same_word(name, "host") && ++hosts > 1) return refuse(400);
    if (same_word(name, "host") || same_word(name, "origin")) {
      passed += fmt::format("{}: {}\r\n", name, value);
    }
  }
  head.text = passed + "\r\n";
}

std::string_view reason(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 431:
      return "Request Header Fields Too Large";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Internal Server Error";
  }
}

/// The page fetches from us alone; nobody may frame it.
std::string policy() {
  return fmt::format("{}; connect-src 'self'; frame-ancestors 'none'", page_policy());
}

}  // namespace

struct ViewServer::Impl final : httplib::Server {
  std::map<std::string, Page> pages;
  std::string hosts[2];
  int port = 0;
  std::atomic<bool> ending{false};
  std::atomic<bool> served{false};  // serve() has returned

  // One request a connection, read and checked here; httplib answers it.
  bool process_and_close_socket(socket_t sock) override {
    bool answered = false;
    try {
      Head head = read_head(sock, ending);
      if (head.refusal == 0 && !head.text.empty()) check_head(head);
      if (head.refusal != 0) {
        CheckedStream stream(sock, {}, ending);
        const std::string text = fmt::format(
            "HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Length: 0\r\nX-Content-Type-Options: "
            "nosniff\r\n{}\r\n",
            head.refusal, reason(head.refusal), head.refusal == 405 ? "Allow: GET, HEAD\r\n" : "");
        stream.write(text.data(), text.size());
      } else if (!head.text.empty()) {
        CheckedStream stream(sock, std::move(head.text), ending);
        bool closed = false;
        answered = process_request(stream, true, closed, nullptr);
      }
    } catch (const std::exception&) {  // out of memory: this client goes without an answer
      answered = false;
    }
    // Let the client read the answer before the connection goes: closing with unread input resets
    // it.
    ::shutdown(sock, SHUT_WR);
    std::array<char, 4096> rest{};
    std::size_t dropped = 0;
    const auto end = Clock::now() + std::chrono::milliseconds(200);
    while (dropped < 16 * head_limit && wait_for(sock, POLLIN, end, ending)) {
      const ssize_t got = ::recv(sock, rest.data(), rest.size(), MSG_DONTWAIT);
      if (got <= 0) break;
      dropped += static_cast<std::size_t>(got);
    }
    ::close(sock);
    return answered;
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Content-Security-Policy", policy());
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cross-Origin-Resource-Policy", "same-origin");
    response.set_header("Cache-Control", "no-store");
    const std::string host = request.get_header_value("Host");
    const auto ours = [&](std::string_view name) {
      return same_word(name, hosts[0]) || same_word(name, hosts[1]);
    };
    if (!ours(host)) return refuse(response, 403, "this Host is not served");
    for (std::size_t k = 0; k < request.get_header_value_count("Origin"); ++k) {
      const std::string origin = request.get_header_value("Origin", k);
      if (!origin.starts_with("http://") || !ours(std::string_view(origin).substr(7))) {
        return refuse(response, 403, "this Origin is not served");
      }
    }
    const auto page = pages.find(request.path);
    if (page == pages.end()) return refuse(response, 404, "there is nothing here");
    response.status = 200;
    const std::string& body = page->second.body;
    response.set_content_provider(body.size(), page->second.type,
                                  [&body](size_t offset, size_t length, httplib::DataSink& sink) {
                                    return sink.write(body.data() + offset, length);
                                  });
  }

  static void refuse(httplib::Response& response, int status, const char* text) {
    response.status = status;
    response.set_content(std::string(text) + '\n', "text/plain; charset=utf-8");
  }
};

ViewServer::ViewServer(std::map<std::string, Page> pages, int port)
    : impl_(std::make_unique<Impl>()) {
  impl_->pages = std::move(pages);
  impl_->new_task_queue = [] { return new BoundedPool; };
  // httplib's own choice has SO_REUSEPORT, with which a second server takes half of our clients
  impl_->set_socket_options([](socket_t sock) {
    const int yes = 1;
    ::setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  impl_->set_payload_max_length(0);
  impl_->set_pre_routing_handler(
      [this](const httplib::Request& request, httplib::Response& response) {
        impl_->answer(request, response);
        return httplib::Server::HandlerResponse::Handled;
      });
  if (port == 0) {
    impl_->port = impl_->bind_to_any_port("127.0.0.1");
  } else {
    impl_->port = impl_->bind_to_port("127.0.0.1", port) ? port : -1;
  }
  if (impl_->port <= 0) {
    throw FileError(port == 0 ? std::string("no port of 127.0.0.1 can be taken")
                              : fmt::format("port {} of 127.0.0.1 cannot be taken: another program "
                                            "has it, or it needs root\n  hint: without --port any "
                                            "free one is taken",
                                            port));
  }
  impl_->hosts[0] = fmt::format("127.0.0.1:{}", impl_->port);
  impl_->hosts[1] = fmt::format("localhost:{}", impl_->port);
}

ViewServer::~ViewServer() = default;

int ViewServer::port() const { return impl_->port; }

void ViewServer::serve() {
  impl_->listen_after_bind();
  impl_->served = true;
}

void ViewServer::stop() {
  impl_->ending = true;
  // httplib forgets a stop that comes before it listens
  while (!impl_->is_running() && !impl_->served) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  impl_->stop();
}

bool ViewServer::available() { return true; }

}  // namespace coluber::app

#else

namespace coluber::app {

struct ViewServer::Impl {};

ViewServer::ViewServer(std::map<std::string, Page>, int) {
  throw FileError(
      "this coluber was built without cpp-httplib, which `view` needs\n  hint: apt-get "
      "install libcpp-httplib-dev pkg-config and build again; coluber export --to html "
      "works without it");
}
ViewServer::~ViewServer() = default;
int ViewServer::port() const { return 0; }
void ViewServer::serve() {}
void ViewServer::stop() {}
bool ViewServer::available() { return false; }

}  // namespace coluber::app

#endif
