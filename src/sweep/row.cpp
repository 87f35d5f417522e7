#include "coluber/sweep/row.hpp"

#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "coluber/core/error.hpp"

#include "sweep/json_line.hpp"

namespace coluber::sweep {

namespace {

constexpr std::array<std::string_view, status_count> status_words{"completed", "failed", "refused",
                                                                  "crashed", "timeout"};

void append_numbers(const std::vector<double>& numbers, std::string& out) {
  out += '[';
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (k > 0) out += ',';
    append_number(numbers[k], out);
  }
  out += ']';
}

/// A whole number; a damaged line may hold one that no integer takes.
std::int64_t to_whole(const nlohmann::json& value) {
  if (!value.is_number_integer()) throw Error("a number of a row is not whole");
  return value.get<std::int64_t>();
}

std::vector<double> to_numbers(const nlohmann::json& list) {
  std::vector<double> numbers;
  for (const auto& value : list) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (value.is_number()) {
      numbers.push_back(value.get<double>());
    } else {
      numbers.push_back(value == "inf"    ? infinity
                        : value == "-inf" ? -infinity
                                          : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return numbers;
}

}  // namespace

void append_number(double number, std::string& out) {
  if (std::isnan(number)) {
    out += "null";
  } else if (std::isinf(number)) {
    out += number > 0 ? "\"inf\"" : "\"-inf\"";
  } else {
    fmt::format_to(std::back_inserter(out), "{}", number);
  }
}

void append_text(std::string_view text, std::string& out) {
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view to_string(Status status) { return status_words[static_cast<std::size_t>(status)]; }

std::optional<Status> find_status(std::string_view word) {
  for (std::size_t k = 0; k < status_words.size(); ++k) {
    if (status_words[k] == word) return static_cast<Status>(k);
  }
  return {};
}

std::string to_line(const Row& row) {
  std::string out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, R"({{"kind":"row","hash":"{:016x}","status":"{}","attempt":{},"point":{})",
                 row.hash, to_string(row.status), row.attempt, row.point);
  out += ",\"reason\":";
  append_text(row.reason, out);
  out += ",\"values\":";
  append_numbers(row.values, out);
  fmt::format_to(to, R"(,"steps":{},"final_state":"{}","host":)", row.steps, row.final_state);
  append_text(row.host, out);
  fmt::format_to(to, R"(,"process":{},"wall_s":{:.6g},"cpu_s":{:.6g})", row.process, row.wall_s,
                 row.cpu_s);
  if (row.candidate >= 0) {
    fmt::format_to(to, R"(,"generation":{},"candidate":{},"searched":)", row.generation,
                   row.candidate);
    append_numbers(row.searched, out);
  }
  out += '}';
  return out;
}

Row from_line(std::string_view line) {
  try {
    const auto json = nlohmann::json::parse(line);
    Row row;
    const auto status = find_status(json.at("status").get<std::string>());
    if (json.at("kind") != "row" || !status) throw Error("it is no row of a sweep");
    row.status = *status;
    row.hash = std::stoull(json.at("hash").get<std::string>(), nullptr, 16);
    row.point = to_whole(json.at("point"));
    row.attempt = static_cast<int>(to_whole(json.at("attempt")));
    row.reason = json.at("reason").get<std::string>();
    row.values = to_numbers(json.at("values"));
    row.steps = to_whole(json.at("steps"));
    row.final_state = json.at("final_state").get<std::string>();
    row.host = json.at("host").get<std::string>();
    row.process = to_whole(json.at("process"));
    row.wall_s = json.at("wall_s").get<double>();
    row.cpu_s = json.at("cpu_s").get<double>();
    if (json.contains("generation")) row.generation = to_whole(json["generation"]);
    if (json.contains("candidate")) row.candidate = to_whole(json["candidate"]);
    if (json.contains("searched")) row.searched = to_numbers(json["searched"]);
    return row;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(fmt::format("a row of a sweep cannot be read: {}", error.what()));
  }
}

bool is_feasible(const Sweep& sweep, const Row& row) {
  if (row.status != Status::completed) return false;
  for (const Requirement& requirement : sweep.requirements()) {
    if (requirement.column >= row.values.size()) return false;
    const double value = row.values[requirement.column];
    // written so that NaN holds nothing
    if (!(value >= requirement.at_least && value <= requirement.at_most)) return false;
  }
  return true;
}

const std::string& host_name() {
  static const std::string name = [] {
    std::array<char, 256> buffer{};
    if (::gethostname(buffer.data(), buffer.size() - 1) != 0) return std::string("host");
    std::string word;
    for (const char* c = buffer.data(); *c != '\0'; ++c) {
      const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                         (*c >= '0' && *c <= '9') || *c == '.' || *c == '_';
      word += plain ? *c : '_';
    }
    return word.empty() ? std::string("host") : word;
  }();
  return name;
}

}  // namespace coluber::sweep
