#include "coluber/sweep/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/code_path.hpp"
#include "coluber/core/error.hpp"
#include "coluber/sweep/sampling.hpp"

#include "sweep/impl.hpp"

namespace coluber::sweep {

namespace {

using keys::Node;

/// A number for a key that takes whole ones, or any.
Node number_node(const Axis& axis, double value) {
  if (axis.whole) return keys::make_node(static_cast<std::int64_t>(std::llround(value)));
  return keys::make_node(value);
}

/// The value a share `u` of the way along an axis. Of whole numbers each has the same share.
Node value_along(const Axis& axis, double u) {
  if (axis.whole && !axis.log) {
    const double whole = std::floor(axis.from + u * (axis.to - axis.from + 1.0));
    return number_node(axis, std::clamp(whole, axis.from, axis.to));
  }
  return number_node(
      axis, axis.log ? between_log(axis.from, axis.to, u) : between(axis.from, axis.to, u));
}

Node crossed_value(const Axis& axis, std::int64_t k) {
  if (!axis.log) return number_node(axis, spaced(axis.from, axis.to, k, axis.count));
  const double share = spaced(0.0, 1.0, k, axis.count);
  return number_node(axis, between_log(axis.from, axis.to, share));
}

void append_value(const Node& value, std::string& out) {
  const auto to = std::back_inserter(out);
  switch (value.kind) {
    case Node::Kind::number:
      if (value.number == 0.0) {
        out += '0';  // -0 too
      } else {
        fmt::format_to(to, "{}", value.number);
      }
      break;
    case Node::Kind::integer:
      fmt::format_to(to, "{}", value.integer);
      break;
    case Node::Kind::boolean:
      out += value.boolean ? "true" : "false";
      break;
    case Node::Kind::text:
      out += value.text;
      break;
    case Node::Kind::array: {
      out += '[';
      bool first = true;
      for (const Node& item : value.items) {
        if (!first) out += ", ";
        first = false;
        append_value(item, out);
      }
      out += ']';
      break;
    }
    default:
      out += scenario::to_json_text(value);
  }
}

void give(const Axis& axis, const std::vector<Node>& values,
          std::vector<scenario::Assignment>& out) {
  for (std::size_t k = 0; k < axis.keys.size(); ++k) {
    out.push_back({axis.keys[k], values.size() > 1 ? values[k] : values.front()});
  }
}

void give(const Axis& axis, const Node& value, std::vector<scenario::Assignment>& out) {
  for (const std::string& key : axis.keys) out.push_back({key, value});
}

}  // namespace

std::string_view arithmetic() { return code_path() == "portable" ? "portable" : "fused"; }

std::string value_text(const keys::Node& value) {
  std::string text;
  append_value(value, text);
  return text;
}

const std::string& Sweep::title() const { return impl_->title; }
const std::string& Sweep::source() const { return impl_->source; }
const scenario::Scenario& Sweep::base() const { return impl_->base->scenario(); }
const std::vector<Axis>& Sweep::axes() const { return impl_->axes; }
const std::vector<Column>& Sweep::columns() const { return impl_->columns; }
const std::optional<Goal>& Sweep::goal() const { return impl_->goal; }
const std::vector<Requirement>& Sweep::requirements() const { return impl_->requirements; }
const Limits& Sweep::limits() const { return impl_->limits; }
const std::optional<Optimise>& Sweep::optimise() const { return impl_->optimise; }
std::size_t Sweep::searched() const { return impl_->searched; }
std::int64_t Sweep::size() const { return impl_->size; }
bool Sweep::reads_frames() const { return impl_->reads_frames; }

std::vector<std::string> Sweep::keys() const {
  std::vector<std::string> all;
  for (const Axis& axis : impl_->axes) all.insert(all.end(), axis.keys.begin(), axis.keys.end());
  return all;
}

std::vector<std::string> Sweep::axis_columns() const {
  std::vector<std::string> all;
  for (const Axis& axis : impl_->axes) {
    all.insert(all.end(), axis.columns.begin(), axis.columns.end());
  }
  return all;
}

std::string Sweep::to_text() const {
  return nlohmann::json{{"coluber_sweep", 1},
                        {"name", std::filesystem::path(impl_->name).filename().string()},
                        {"source", impl_->source},
                        {"values", nlohmann::json::parse(scenario::to_json_text(impl_->root))},
                        {"base", impl_->base->to_text()},
                        {"table", impl_->table}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::uint64_t Sweep::hash() const {
  keys::Node values = impl_->root;
  for (const char* word : {"title", "base", "set"}) values.fields.erase(word);
  return Hasher()
      .update(impl_->base->scenario().hash)
      .update(scenario::to_json_text(values))
      .update(impl_->table)
      .finish();
}

Point Sweep::point(std::int64_t number) const {
  if (impl_->searched > 0) throw Error("this sweep has axes that an optimiser searches");
  return point(number, {});
}

Point Sweep::point(std::int64_t number, std::span<const double> searched) const {
  const Impl& impl = *impl_;
  if (number < 1 || number > impl.size) {
    throw Error(fmt::format("there are points 1 to {}, asked for {}", impl.size, number));
  }
  if (searched.size() != impl.searched) {
    throw Error(fmt::format("{} values for {} searched axes", searched.size(), impl.searched));
  }
  Point point;
  point.number = number;
  const auto sample = static_cast<std::uint64_t>((number - 1) / impl.crossed);
  std::int64_t rest = (number - 1) % impl.crossed;
  std::int64_t stride = impl.crossed;  // the last axis is the fastest
  for (const Axis& axis : impl.axes) {
    switch (axis.sampling) {
      case Sampling::crossed: {
        stride /= axis.count;
        const std::int64_t k = rest / stride;
        rest %= stride;
        if (axis.values.empty()) {
          give(axis, crossed_value(axis, k), point.values);
        } else {
          give(axis, axis.values[static_cast<std::size_t>(k)], point.values);
        }
        break;
      }
      case Sampling::table:
        give(axis, axis.values[static_cast<std::size_t>(sample)], point.values);
        break;
      case Sampling::uniform:
        give(axis, value_along(axis, uniform(sample, impl.seed, axis.dimension)), point.values);
        break;
      case Sampling::latin:
        give(axis,
             value_along(axis, latin(sample, static_cast<std::uint64_t>(impl.samples), impl.seed,
                                     axis.dimension)),
             point.values);
        break;
      case Sampling::sobol:
        give(axis,
             value_along(axis, sobol(sample, axis.dimension,
                                     impl.shifts[static_cast<std::size_t>(axis.dimension)])),
             point.values);
        break;
      case Sampling::searched:
        give(axis,
             value_along(axis,
                         std::clamp(searched[static_cast<std::size_t>(axis.dimension)], 0.0, 1.0)),
             point.values);
        break;
    }
  }
  Hasher hash = impl.hash_begin;
  std::string text;
  for (const std::size_t k : impl.order) {
    text.clear();
    text += point.values[k].key;
    text += '=';
    append_value(point.values[k].value, text);
    text += '\n';
    hash.update(text);
  }
  point.hash = hash.finish();
  return point;
}

std::vector<std::string> Sweep::cells(const Point& point) const {
  std::vector<std::string> cells;
  std::size_t k = 0;
  for (const Axis& axis : impl_->axes) {
    const bool spread = axis.columns.size() > axis.keys.size();
    for (std::size_t i = 0; i < axis.keys.size(); ++i, ++k) {
      const Node& value = point.values[k].value;
      // a list of numbers has a column for each
      const bool listed = spread && value.is_array();
      if (!listed) {
        cells.push_back(value_text(value));
        continue;
      }
      for (const Node& item : value.items) cells.push_back(value_text(item));
    }
  }
  return cells;
}

scenario::Scenario Sweep::scenario(const Point& point) const {
  return impl_->base->make_whole(point.values);
}

scenario::Scenario Sweep::options(const Point& point) const {
  return impl_->base->make(point.values);
}

double Sweep::compute(std::size_t column, const measure::MeasuredRun& run, std::string& why) const {
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  const Column& asked = impl_->columns.at(column);
  if (asked.spec.empty()) {
    const auto item = std::ranges::find(run.summary, asked.name, &SummaryItem::name);
    return item == run.summary.end() ? missing : item->number();
  }
  try {
    const auto value = impl_->measures[column].compute(run);
    const auto* number = std::get_if<double>(&value);
    return number != nullptr ? *number : missing;
  } catch (const Error& error) {
    why = fmt::format("{}: {}", asked.name, error.what());
    return missing;
  }
}

}  // namespace coluber::sweep
