#include "view_state.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "coluber/core/nearest.hpp"

namespace coluber::app {

namespace {

enum class Takes : unsigned char { flag, size, speed, time, camera, theme, place, names };

struct ViewPart {
  const char* name;
  Takes takes;
};

// The same as in viewer/src/address.ts, which reads them; tests/cli/names_test.py compares. What a
// run has names of, only its page knows: it says which of them it does not have.
constexpr ViewPart view_parts[] = {
    {"t", Takes::time},       {"cam", Takes::camera},    {"view", Takes::place},
    {"plot", Takes::names},   {"series", Takes::names},  {"trails", Takes::names},
    {"forces", Takes::names}, {"arrow", Takes::size},    {"sizes", Takes::names},
    {"colour", Takes::names}, {"vectors", Takes::names}, {"speed", Takes::speed},
    {"loop", Takes::flag},    {"theme", Takes::theme},   {"ghost", Takes::flag},
    {"shadows", Takes::flag}, {"panel", Takes::flag},    {"still", Takes::flag}};

std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  const auto* const last = std::to_address(text.end());
  const auto [rest, error] = std::from_chars(std::to_address(text.begin()), last, value);
  if (error != std::errc{} || rest != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_place(std::string_view text) {
  std::size_t numbers = 0;
  std::optional<double> last;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    last = finite_number(text.substr(0, comma));
    if (!last) return false;
    ++numbers;
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return numbers == 7 && *last > 0.0;
}

/// "" if the value is one that the part takes, else what it takes.
std::string expected_of(Takes takes, std::string_view value) {
  switch (takes) {
    case Takes::flag:
      return value == "0" || value == "1" ? "" : "0 or 1";
    case Takes::size:
      return std::abs(finite_number(value).value_or(2.0)) <= 1.0
                 ? ""
                 : "a number from -1 to 1: arrows 10 to its power times as long";
    case Takes::speed:
      return finite_number(value).value_or(0.0) > 0.0 ? "" : "a number > 0";
    case Takes::time:
      return finite_number(value).value_or(-1.0) >= 0.0 ? "" : "a time >= 0 in s";
    case Takes::camera:
      return value == "orbit" || value == "top" || value == "side" || value == "follow"
                 ? ""
                 : "orbit, top, side or follow";
    case Takes::theme:
      return value == "light" || value == "dark" ? "" : "light or dark";
    case Takes::place:
      return is_place(value) ? "" : "seven numbers, the last > 0";
    case Takes::names:
      return "";
  }
  return "";
}

std::string fault_of_part(std::string_view part) {
  const std::size_t equals = part.find('=');
  const std::string name(part.substr(0, equals));
  const auto* const known = std::ranges::find(view_parts, std::string_view(name), &ViewPart::name);
  if (known == std::ranges::end(view_parts)) {
    std::vector<std::string> names;
    for (const ViewPart& each : view_parts) names.emplace_back(each.name);
    const std::string guess = nearest(name, names);
    return fmt::format("there is no part \"{}\"\n  hint: {}", name,
                       guess.empty() ? fmt::format("a view has {}", fmt::join(names, ", "))
                                     : fmt::format("did you mean \"{}\"?", guess));
  }
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
  const std::string wanted = expected_of(known->takes, value);
  if (wanted.empty()) return {};
  return fmt::format(
      "{}: expected {}, got \"{}\"\n  hint: for example  --view "
      "'cam=top&theme=dark&panel=0'",
      name, wanted, value);
}

}  // namespace

std::string fault_of_view(const std::string& view) {
  const bool plain = std::ranges::all_of(view, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_.,:=&%+-").find(c) != std::string_view::npos;
  });
  if (!plain) {
    return "expected what the viewer's address has after #\n  hint: for example  --view "
           "'cam=top&theme=dark&panel=0'";
  }
  std::string_view rest = view;
  std::set<std::string_view> named;
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (part.empty()) continue;
    if (std::string fault = fault_of_part(part); !fault.empty()) return fault;
    if (const auto name = part.substr(0, part.find('=')); !named.insert(name).second) {
      return fmt::format("\"{}\" is named twice\n  hint: leave one of them out", name);
    }
  }
  return {};
}

std::optional<double> time_of_view(std::string_view view) {
  while (!view.empty()) {
    const std::string_view part = view.substr(0, view.find('&'));
    if (part.starts_with("t=")) return finite_number(part.substr(2));
    view.remove_prefix(std::min(view.size(), part.size() + 1));
  }
  return std::nullopt;
}

}  // namespace coluber::app
