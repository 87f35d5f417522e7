#pragma once

#include <map>
#include <memory>
#include <string>

namespace coluber::app {

/// What one address answers with.
struct Page {
  std::string type;  ///< content type
  std::string body;
};

/// Answers GET and HEAD on 127.0.0.1 from a fixed table of addresses; no file is opened after it is
/// made, so no path a client sends can lead anywhere.
///
/// A connection carries one request of at most 16 kB that must arrive within 5 s, without a body.
/// Host has to be 127.0.0.1 or localhost with our port, and Origin, where given, our own: no other
/// page in the user's browser can read a run. 16 clients are served at a time, 32 more wait,
/// further ones in the queue of the operating system.
class ViewServer {
 public:
  /// Binds the port, 0 for any that is free. Throws FileError if it cannot.
  ViewServer(std::map<std::string, Page> pages, int port);
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;
  ~ViewServer();

  [[nodiscard]] int port() const;
  /// Serves until stop() is called from another thread, which waits for serve() to have begun.
  void serve();
  void stop();

  /// Whether this build has the library it takes.
  static bool available();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coluber::app
