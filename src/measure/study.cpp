// What a study (`coluber force-map`, `coluber quality`) answers: the JSON that its command prints.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"

#include "measure/rows.hpp"

namespace coluber::measure {
namespace {

/// The member `a.b` of a run's answer.
nlohmann::json find_member(const MeasureCall& call) {
  const auto& answer = call.run().answer;
  if (answer.empty()) throw Error("the run is a simulation: only a run with `command` has answers");
  auto at = nlohmann::json::parse(answer);
  const auto path = call.text("member");
  for (std::size_t from = 0; from <= path.size();) {
    const auto to = std::min(path.find('.', from), path.size());
    const auto name = path.substr(from, to - from);
    if (!at.is_object() || !at.contains(name))
      throw Error(fmt::format("the answer has no {}", path));
    nlohmann::json part = at[name];
    at = std::move(part);
    from = to + 1;
  }
  return at;
}

/// Its numbers, one or a list; what is null in the answer is NaN.
std::vector<double> numbers_in(const MeasureCall& call) {
  const auto member = find_member(call);
  std::vector<double> numbers;
  const auto add = [&](const nlohmann::json& value) {
    if (value.is_null())
      numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    else if (value.is_number())
      numbers.push_back(value.get<double>());
    else
      throw Error(
          fmt::format("{} of the answer is no number or list of numbers", call.text("member")));
  };
  if (member.is_array())
    for (const auto& value : member) add(value);
  else
    add(member);
  return numbers;
}

/// One for each of the answer's numbers, as the file gives them.
std::vector<double> partners_of(const MeasureCall& call, std::string_view name, std::size_t count) {
  auto given = call.numbers(name);
  if (given.size() != count)
    throw Error(fmt::format("{} of the answer has {} numbers, {} has {}", call.text("member"),
                            count, name, given.size()));
  return given;
}

MeasureValue answer(const MeasureCall& call) {
  auto numbers = numbers_in(call);
  if (call.has("times")) {
    const auto factors = partners_of(call, "times", numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] *= factors[k];
  }
  if (call.has("index")) {
    const auto k = static_cast<std::size_t>(call.index("index"));
    if (k >= numbers.size())
      throw Error(fmt::format("{} of the answer has {} numbers, not {}", call.text("member"),
                              numbers.size(), k + 1));
    return numbers[k];
  }
  if (!call.has("reduce")) {
    if (numbers.size() == 1) return numbers.front();
    throw Error(fmt::format("{} of the answer has {} numbers: choose one by index, or reduce them",
                            call.text("member"), numbers.size()));
  }
  return reduce_numbers(numbers, call.text("reduce"));
}

MeasureValue answer_apart(const MeasureCall& call) {
  auto numbers = numbers_in(call);
  const auto values = partners_of(call, "values", numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] -= values[k];
  return reduce_numbers(numbers, "size");
}

MeasureValue answer_set(const MeasureCall& call) {
  const auto member = find_member(call);
  if (!member.is_array() || !std::ranges::all_of(member, [](const nlohmann::json& value) {
        return value.is_number_integer();
      }))
    throw Error(fmt::format("{} of the answer is no set of links or joints", call.text("member")));
  auto set = member.get<std::vector<int>>();
  std::ranges::sort(set);
  return set;
}

MeasureValue processor_time(const MeasureCall& call) {
  const auto& time_parts = call.run().time_parts;
  if (!time_parts)
    throw Error("the run is a simulation: only a run with `command` has parts to be timed");
  const auto found = time_parts();
  double sum = 0.0;
  for (const auto& name : call.texts("parts")) {
    const auto part = std::ranges::find(found, name, &simulation::StudyPart::name);
    if (part == found.end()) throw Error(fmt::format("the study has no part {}", name));
    sum += part->seconds;
  }
  return sum;
}

}  // namespace

std::vector<Measure> study_measures() {
  const MeasureParameter member{"member", ParameterKind::text};
  return {
      {"answer",
       "that of the member",
       "a number of what a run with `command` answers (its --json), such as z_norm or one of f_C",
       {member,
        {"index", ParameterKind::index, false},
        {"times", ParameterKind::numbers, false},
        {"reduce", ParameterKind::word, false, {"max", "min", "size", "sum", "rms"}}},
       answer},
      {"answer_apart",
       "that of the member",
       "largest difference of a list in the answer from given numbers",
       {member, {"values", ParameterKind::numbers}},
       answer_apart},
      {"answer_set",
       "",
       "links or joints that the answer names, such as active",
       {member},
       answer_set,
       false},
      {"processor_time",
       "s",
       "of parts of what a run with `command` computes, the fastest of five",
       {{"parts", ParameterKind::texts}},
       processor_time},
  };
}

}  // namespace coluber::measure
