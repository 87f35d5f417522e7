// Axes of a sweep file, and a table of points of one's own.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "coluber/core/nearest.hpp"
#include "coluber/keys/registry.hpp"
#include "coluber/sweep/sampling.hpp"

#include "core/csv_cells.hpp"
#include "scenario/text_file.hpp"
#include "sweep/reader.hpp"

namespace coluber::sweep {

namespace {

constexpr std::size_t most_axes = 32;
constexpr std::int64_t most_values = 10'000'000;

bool is_list(keys::KeyType type) {
  using Type = keys::KeyType;
  return type == Type::pair || type == Type::numbers || type == Type::integers ||
         type == Type::words || type == Type::pairs || type == Type::number_or_numbers ||
         type == Type::word_or_numbers || type == Type::path_list;
}

bool takes_numbers(keys::KeyType type) {
  using Type = keys::KeyType;
  return type == Type::number || type == Type::integer || type == Type::number_or_numbers;
}

/// 30 and 30.0 are one value of a key that takes numbers.
void make_plain(keys::Node& value, const keys::Key& key) {
  for (keys::Node& item : value.items) make_plain(item, key);
  const bool whole = key.type == keys::KeyType::integer || key.type == keys::KeyType::integers;
  if (value.kind == keys::Node::Kind::integer && !whole) {
    value.number = value.as_double();
    value.kind = keys::Node::Kind::number;
  }
}

bool is_whole(double value) { return value == std::nearbyint(value) && std::abs(value) < 0x1p53; }

std::vector<std::string> all_key_names() {
  std::vector<std::string> names;
  for (const keys::Key& key : keys::keys()) names.push_back(key.name);
  return names;
}

/// One is the other, or an entry or component of it.
bool overlap(const std::string& one, const std::string& other) {
  return one == other || one.starts_with(other + ".") || other.starts_with(one + ".");
}

}  // namespace

void SweepReader::check_model(const Node& at, const std::string& path, const std::string& key,
                              const scenario::KeyTarget& target) {
  if (!impl_->base) return;
  const Node* list = impl_->root.find("axis");
  const auto varied = [&](const std::string& word) {
    if (list == nullptr) return false;
    return std::ranges::any_of(list->items, [&](const Node& axis) {
      const Node* named = axis.is_table() ? axis.find("key") : nullptr;
      return named != nullptr && named->kind == Node::Kind::text && named->text == word;
    });
  };
  const scenario::Scenario& base = impl_->base->scenario();
  const auto refuse = [&](const std::vector<std::string>& with, const std::string& chosen,
                          const char* word) {
    if (chosen.empty() || keys::goes_with(with, chosen) || varied(word)) return false;
    fault(at, path,
          fmt::format("{} goes with {} = \"{}\", the base scenario has \"{}\"", key, word,
                      fmt::join(with, "\" or \""), chosen),
          "leave it out, or take another base");
    return true;
  };
  if (varied("robot.name")) return;
  if (refuse(target.row->models, base.model, "robot.model")) return;
  if (refuse(target.row->gaits, base.gait, "gait.name")) return;
  refuse(target.row->controllers, base.controller, "controller.name");
}

void SweepReader::check_key(const Node& at, const std::string& path, const std::string& key) {
  const scenario::KeyTarget target = scenario::find_target(key);
  if (target.row == nullptr) {
    std::string guess = nearest(key, all_key_names());
    if (guess.empty()) {
      for (const keys::Key& row : keys::keys()) {
        if (guess.empty() && keys::last_word(row.name) == keys::last_word(key)) guess = row.name;
      }
    }
    fault(at, path, fmt::format("there is no key \"{}\"", key),
          guess.empty() ? "coluber list keys prints them all"
                        : fmt::format("did you mean \"{}\"?", guess));
    return;
  }
  if (!target.row->built) {
    fault(at, path, fmt::format("{} is not built yet", key));
    return;
  }
  for (const std::string& other : taken_) {
    if (!overlap(key, other)) continue;
    fault(at, path,
          key == other ? fmt::format("{} is an axis twice", key)
                       : fmt::format("{} is part of {}, which is an axis too",
                                     key.size() > other.size() ? key : other,
                                     key.size() > other.size() ? other : key),
          "each key has its value from one axis");
    return;
  }
  taken_.push_back(key);
  check_model(at, path, key, target);
  if (!impl_->base) return;
  if (const std::string why = impl_->base->prepare(key); !why.empty()) fault(at, path, why);
}

std::vector<std::string> SweepReader::keys_of(const Node& table, const std::string& path) {
  std::vector<std::string> keys;
  const Node* node = table.find("key");
  const std::string name = keys::joined(path, "key");
  if (node == nullptr) {
    fault(table, name, "is missing", "for example  key = \"gait.amplitude_deg\"");
    return keys;
  }
  const std::string hint = "a key in quotes, or a list of them";
  if (node->kind == Node::Kind::text) {
    keys.push_back(node->text);
  } else if (node->is_array() && !node->items.empty()) {
    for (const Node& item : node->items) {
      if (item.kind == Node::Kind::text) {
        keys.push_back(item.text);
      } else {
        fault(item, name, "expected a key, got " + keys::describe(item), hint);
      }
    }
  } else {
    fault(*node, name, "expected a key, got " + keys::describe(*node), hint);
  }
  for (const std::string& key : keys) check_key(*node, name, key);
  return keys;
}

/// The value fits its key; `number` counts the axis' values from 1.
bool SweepReader::check_value(const Node& at, const std::string& path, const std::string& key,
                              Node& value, std::size_t number) {
  const scenario::KeyTarget target = scenario::find_target(key);
  if (target.row == nullptr) return false;  // told already
  make_plain(value, target.key);
  if (keys::fits(value, target.key)) return true;
  std::string hint;
  if (!target.key.choices.empty() && value.kind == Node::Kind::text) {
    std::vector<std::string> words;
    for (const keys::Choice& choice : target.key.choices) words.push_back(choice.name);
    if (const std::string guess = nearest(value.text, words); !guess.empty()) {
      hint = fmt::format("did you mean \"{}\"?", guess);
    }
  }
  if (hint.empty()) {
    hint = fmt::format("{}{}{}", target.key.doc, target.key.unit.empty() ? "" : ", in ",
                       target.key.unit);
  }
  fault(at, path,
        fmt::format("value {} of the axis: {}: expected {}, got {}", number, key,
                    keys::expectation(target.key), keys::describe(value)),
        hint);
  return false;
}

void SweepReader::read_listed(const Node& table, const std::string& path, Axis& axis) {
  const Node& node = *table.find("values");
  const std::string name = keys::joined(path, "values");
  for (const char* word : {"from", "to", "count", "step", "sample", "scale"}) {
    if (const Node* other = table.find(word)) {
      fault(*other, keys::joined(path, word), "goes with from and to, not with values",
            "leave one of them out");
    }
  }
  if (!node.is_array() || node.items.empty()) {
    fault(node, name, "expected a list of values, got " + keys::describe(node),
          "for example  values = [10.0, 20.0, 40.0]");
    return;
  }
  const bool several = axis.keys.size() > 1;
  const scenario::KeyTarget first = scenario::find_target(axis.keys.front());
  const bool lists = first.row != nullptr && is_list(first.key.type);
  std::size_t number = 0;
  for (const Node& item : node.items) {
    ++number;
    const bool each = several && item.is_array() &&
                      (!lists || (!item.items.empty() && item.items.front().is_array()));
    if (each && item.items.size() != axis.keys.size()) {
      fault(item, name,
            fmt::format("value {} of the axis has {} entries, there are {} keys", number,
                        item.items.size(), axis.keys.size()),
            "one value for all keys, or a list of one for each");
      continue;
    }
    std::vector<Node> values;
    bool good = true;
    for (std::size_t k = 0; k < axis.keys.size(); ++k) {
      Node value = each ? item.items[k] : item;
      good = check_value(value, name, axis.keys[k], value, number) && good;
      if (each || k == 0) values.push_back(std::move(value));
    }
    if (good) axis.values.push_back(std::move(values));
  }
  axis.count = static_cast<std::int64_t>(node.items.size());
}

void SweepReader::read_count(const Node& table, const std::string& path, Axis& axis) {
  const Node* count = table.find("count");
  const Node* step = table.find("step");
  if (count != nullptr && step != nullptr) {
    fault(*step, keys::joined(path, "step"), "count and step are both given",
          "leave one of them out");
    return;
  }
  if (count != nullptr) {
    if (const auto given = whole_of(table, path, "count", 2, most_values)) axis.count = *given;
    return;
  }
  const auto given = number_of(table, path, "step");
  if (!given) return;
  const std::string name = keys::joined(path, "step");
  if (axis.log) {
    fault(*step, name, "a log axis has no even step", "give count instead");
    return;
  }
  if (!(*given > 0.0)) {
    fault(*step, name, fmt::format("expected a number > 0, got {}", *given));
    return;
  }
  const double steps = (axis.to - axis.from) / *given;
  constexpr double slack = 1e-6;
  if (!(steps < static_cast<double>(most_values)) ||
      std::abs(steps - std::nearbyint(steps)) > slack * std::max(1.0, steps) || steps < 0.5) {
    const double below = axis.from + std::floor(steps) * *given;
    fault(*step, name,
          fmt::format("from {} to {} are {:.6g} steps of {}", axis.from, axis.to, steps, *given),
          fmt::format("both ends are values: take  to = {:.12g},  or  count = {:.0f}", below,
                      std::max(2.0, std::nearbyint(steps) + 1.0)));
    return;
  }
  axis.count = std::llround(steps) + 1;
}

void SweepReader::read_range(const Node& table, const std::string& path, Axis& axis) {
  const Node* from = table.find("from");
  const Node* to = table.find("to");
  if (from == nullptr || to == nullptr) {
    const char* missing = from == nullptr ? "from" : "to";
    fault(table, keys::joined(path, missing), "is missing",
          "an axis has from and to, or values = […]");
    return;
  }
  const auto low = number_of(table, path, "from");
  const auto high = number_of(table, path, "to");
  const auto scale = word_of(table, path, "scale", {"linear", "log"});
  axis.log = scale && *scale == "log";
  const auto sample = word_of(table, path, "sample", {"uniform", "latin", "sobol"});
  if (sample) {
    axis.sampling = *sample == "sobol"   ? Sampling::sobol
                    : *sample == "latin" ? Sampling::latin
                                         : Sampling::uniform;
    for (const char* word : {"count", "step"}) {
      if (const Node* other = table.find(word)) {
        fault(*other, keys::joined(path, word), "a sampled axis has no values of its own",
              "samples = …  at the top is their number");
      }
    }
    if (const Node* points = impl_->root.find("points")) {
      fault(*points, "points", "a table takes the place of sampled axes",
            fmt::format("leave it out, or the sample of {}", path));
    }
  }
  if (!low || !high) return;
  axis.from = *low;
  axis.to = *high;
  if (!(*low < *high)) {
    fault(*to, keys::joined(path, "to"),
          fmt::format("expected more than from = {}, got {}", *low, *high));
    return;
  }
  if (axis.log && !(*low * *high > 0.0)) {
    fault(*from, keys::joined(path, "scale"),
          fmt::format("a log axis cannot go from {} to {} through 0", *low, *high),
          "take ends of one sign, or scale = \"linear\"");
    return;
  }
  const bool counted = table.find("count") != nullptr || table.find("step") != nullptr;
  if (!sample && !counted && table.find("sample") == nullptr) {
    if (impl_->root.find("optimise") == nullptr) {
      fault(table, path, "has no count, step or sample", "say how many values it has:  count = 11");
      return;
    }
    axis.sampling = Sampling::searched;
  }
  if (counted && !sample) read_count(table, path, axis);

  // the values that its keys are given
  bool whole = true;
  for (const std::string& key : axis.keys) {
    const scenario::KeyTarget target = scenario::find_target(key);
    if (target.row == nullptr) return;
    if (!takes_numbers(target.key.type)) {
      fault(table, path,
            fmt::format("{} takes {}, not one number", key, keys::expectation(target.key)),
            "list its values:  values = […]");
      return;
    }
    whole = whole && target.key.type == keys::KeyType::integer;
  }
  axis.whole = whole;
  const auto check = [&](const Node& at, const char* word, double value, std::size_t number) {
    for (const std::string& key : axis.keys) {
      Node node = whole && is_whole(value) ? keys::make_node(static_cast<std::int64_t>(value))
                                           : keys::make_node(value);
      if (!check_value(at, keys::joined(path, word), key, node, number)) return false;
    }
    return true;
  };
  const bool ends =
      check(*from, "from", *low, 1) &&
      check(*to, "to", *high, static_cast<std::size_t>(std::max<std::int64_t>(axis.count, 2)));
  if (!ends || !whole || axis.sampling != Sampling::crossed) return;
  for (std::int64_t k = 0; k < axis.count; ++k) {
    const double value = spaced(axis.from, axis.to, k, axis.count);
    if (is_whole(value) && !axis.log) continue;
    check(table, "count", axis.log ? 0.5 : value, static_cast<std::size_t>(k) + 1);
    return;
  }
}

void SweepReader::name_columns(Axis& axis) {
  for (std::size_t k = 0; k < axis.keys.size(); ++k) {
    const auto value = [&](const std::vector<Node>& one) -> const Node& {
      return one.size() > 1 ? one[k] : one.front();
    };
    const Node* first = axis.values.empty() ? nullptr : &value(axis.values.front());
    const bool spread = first != nullptr && first->is_array() && !first->items.empty() &&
                        std::ranges::all_of(axis.values, [&](const std::vector<Node>& one) {
                          const Node& each = value(one);
                          return each.is_array() && each.items.size() == first->items.size() &&
                                 std::ranges::all_of(each.items, &Node::is_number);
                        });
    if (!spread) {
      axis.columns.push_back(axis.keys[k]);
      continue;
    }
    for (std::size_t i = 1; i <= first->items.size(); ++i) {
      axis.columns.push_back(fmt::format("{}.{}", axis.keys[k], i));
    }
  }
  if (const auto target = scenario::find_target(axis.keys.front()); target.row != nullptr) {
    axis.unit = target.row->unit;
  }
}

void SweepReader::read_axis(const Node& table, const std::string& path) {
  allow(table, path, {"key", "from", "to", "count", "step", "values", "scale", "sample"});
  Axis axis;
  axis.keys = keys_of(table, path);
  if (axis.keys.empty()) return;
  if (table.find("values") != nullptr) {
    read_listed(table, path, axis);
  } else {
    read_range(table, path, axis);
  }
  if (axis.sampling == Sampling::crossed && axis.count == 0) axis.count = 1;  // told already
  name_columns(axis);
  impl_->axes.push_back(std::move(axis));
}

void SweepReader::read_axes() {
  const auto tables = tables_of(impl_->root, "axis");
  if (tables.empty() && impl_->root.find("points") == nullptr &&
      impl_->root.find("axis") == nullptr) {
    fault(impl_->root, "axis", "there is no axis",
          "write  [[axis]]  with key, from, to and count below it");
  }
  if (tables.size() > most_axes) {
    fault(*impl_->root.find("axis"), "axis",
          fmt::format("there are {} axes, the limit is {}", tables.size(), most_axes));
    return;
  }
  for (std::size_t k = 0; k < tables.size(); ++k) {
    read_axis(*tables[k], fmt::format("axis.{}", k + 1));
  }
}

// ---- a table of one's own
// -------------------------------------------------------------------------

void SweepReader::read_table(const std::optional<std::string>& text) {
  const Node* points = table_of(impl_->root, "points");
  int sampled = 0;
  int searched = 0;
  if (points != nullptr) {
    allow(*points, "points", {"table"});
    const auto named = word_of(*points, "points", "table");
    if (!named) {
      if (points->find("table") == nullptr) fault(*points, "points.table", "is missing");
      return;
    }
    const Node& at = *points->find("table");
    const std::filesystem::path file = sources_.front().folder / *named;
    if (text) {
      impl_->table = *text;
    } else {
      const scenario::FileText contents = scenario::read_file(file);
      if (!contents.fault.empty()) {
        fault(at, "points.table", fmt::format("\"{}\" {}", *named, contents.fault), contents.hint);
        return;
      }
      impl_->table = contents.text;
    }
    const int source = static_cast<int>(sources_.size());
    sources_.push_back({text ? *named : file.lexically_normal().string(), {}});
    const auto bad = [&](int line, int column, std::string message, std::string hint) {
      faults_.add({source, line, column}, "", std::move(message), std::move(hint));
    };
    std::vector<Axis> axes;
    int line = 0;
    std::int64_t rows = 0;
    for (std::size_t begin = 0; begin < impl_->table.size();) {
      const std::size_t end = std::min(impl_->table.find('\n', begin), impl_->table.size());
      const std::string_view row = std::string_view(impl_->table).substr(begin, end - begin);
      begin = end + 1;
      ++line;
      if (trim(row).empty() || trim(row).front() == '#') continue;
      const auto cells = split_csv(row);
      if (axes.empty()) {
        for (const CsvCell& cell : cells) {
          Axis axis;
          axis.sampling = Sampling::table;
          axis.keys = {std::string(cell.text)};
          Node place;
          place.where = {0, at.where.line, at.where.column};
          const std::size_t before = faults_.size();
          check_key(place, fmt::format("points.table: column {}", axes.size() + 1),
                    axis.keys.front());
          if (faults_.size() == before && axis.keys.front().empty()) {
            bad(line, cell.column, "a column has no name", "the first line names the keys");
          }
          axes.push_back(std::move(axis));
        }
        continue;
      }
      ++rows;
      if (cells.size() != axes.size()) {
        bad(line, 1, fmt::format("{} cells, the first line has {}", cells.size(), axes.size()), "");
        continue;
      }
      for (std::size_t k = 0; k < cells.size(); ++k) {
        const scenario::KeyTarget target = scenario::find_target(axes[k].keys.front());
        if (target.row == nullptr) continue;  // told already
        if (cells[k].text.empty()) {
          bad(line, cells[k].column, fmt::format("{} has no value here", axes[k].keys.front()),
              "each row gives every key a value");
          continue;
        }
        Node value = keys::make_node(std::string(cells[k].text));
        double number = 0.0;
        const std::string_view written = cells[k].text;
        const auto read = std::from_chars(written.data(), written.data() + written.size(), number);
        const bool is_number =
            read.ec == std::errc{} && read.ptr == written.data() + written.size();
        if (is_number && target.key.type == keys::KeyType::integer && is_whole(number)) {
          value = keys::make_node(static_cast<std::int64_t>(number));
        } else if (is_number) {
          value = keys::make_node(number);
        } else if (target.key.type == keys::KeyType::boolean &&
                   (value.text == "true" || value.text == "false")) {
          value = keys::make_node(value.text == "true");
        }
        if (!keys::fits(value, target.key)) {
          bad(line, cells[k].column,
              fmt::format("{}: expected {}, got {}", axes[k].keys.front(),
                          keys::expectation(target.key), shown_cell(cells[k].text)),
              "");
          continue;
        }
        axes[k].values.push_back({std::move(value)});
      }
    }
    if (rows == 0) bad(0, 0, "has no rows", "a line of keys, then a line for each sample");
    for (Axis& axis : axes) {
      name_columns(axis);
      impl_->axes.push_back(std::move(axis));
    }
    impl_->samples = std::max<std::int64_t>(rows, 1);
  }
  for (Axis& axis : impl_->axes) {
    if (axis.sampling == Sampling::searched) {
      axis.dimension = searched++;
    } else if (axis.sampling != Sampling::crossed && axis.sampling != Sampling::table) {
      axis.dimension = sampled++;
    }
  }
  impl_->searched = static_cast<std::size_t>(searched);
}

}  // namespace coluber::sweep
