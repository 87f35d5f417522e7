#include "coluber/path/keys.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "coluber/keys/check.hpp"

#include "keys/limits.hpp"
#include "keys/number_table.hpp"

namespace coluber::path {

namespace {

using keys::Check;

constexpr double far = 1e6;  // m, of places

/// Too near to tell the way from one to the other.
bool is_same(const Vector2d& a, const Vector2d& b) { return !((a - b).norm() > 1e-9); }

const std::vector<keys::Choice>& shapes() {
  static const std::vector<keys::Choice> choices{
      {"line", "straight"},
      {"circle", "straight, then left for ever"},
      {"turn", "straight, arc, straight"},
      {"s", "straight, arc, arc back, straight"},
      {"slalom", "straight, arc, two arcs back, arc, straight"},
      {"eight", "straight, then full circles left and right in turn"},
      {"serpenoid", "direction amplitude · cos(2 pi s/wavelength), for every s"},
      {"pieces", "of [[path.piece]]: lines, arcs, clothoids"},
      {"spline", "through points, C2, centripetal, straight beyond its ends"}};
  return choices;
}

/// For a key that goes with these shapes only.
keys::Condition with(std::vector<std::string> words) { return {"shape", std::move(words)}; }

const std::vector<std::string> kArcs{"circle", "turn", "s", "slalom", "eight"};

/// Points of the table, which the run does not need any more afterwards. False: there was a fault.
bool read_points(PathKeys& options, Check& check) {
  const keys::Node* path = check.given("path.table");
  if (path == nullptr || path->text.empty()) return true;
  const std::filesystem::path file = std::exchange(options.table, {});
  const keys::Key coordinate{.name = "path.points", .unit = "m", .min = -far, .max = far};
  keys::NumberTable table = keys::load_number_table(
      file, {.key = "path.table",
             .columns = {{"x", coordinate}, {"y", coordinate}},
             .required = 2,
             .header_hint = "the first line is  x,y",
             .file_hint = "name a CSV file: x,y in m",
             .range_hint = "in m",
             .most = keys::limits::obstacles,
             .many = fmt::format("more than {} points", keys::limits::obstacles),
             .fewer_hint = "leave out points: the path is smooth between them"});
  if (!table.faults.empty() && table.faults.front().where.line == 0) {
    std::error_code failure;
    const bool there = std::filesystem::exists(file, failure);
    check.fault("path.table", fmt::format("{}: {}", table.faults.front().message, file.string()),
                there ? table.faults.front().hint : check.path_hint(*path));
    return false;
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Vector2d point{table.rows[i][0], table.rows[i][1]};
    if (i > 0 && is_same(point, options.points.back())) {
      table.faults.push_back({{file.string(), table.lines[i], 1},
                              "path.table",
                              "the point is the one before",
                              "leave one of them out"});
    }
    options.points.push_back(point);
  }
  for (Diagnostic& fault : table.faults) check.fault_in_file(std::move(fault));
  return table.faults.empty();
}

/// False: no spline goes through them.
bool check_points(PathKeys& options, Check& check) {
  // as if they were not there: "" and []
  const keys::Node* file = check.find("path.table");
  const bool in_table = file != nullptr && !(check.is_sound("path.table") && file->text.empty());
  const bool listed = check.find("path.points") != nullptr &&
                      !(in_table && check.is_sound("path.points") && options.points.empty());
  const char* key = listed ? "path.points" : in_table ? "path.table" : "path.shape";
  if (listed && in_table) {
    check.fault("path.table", "there are path.points too", "leave one of them out");
    return false;
  }
  if (!check.is_sound("path.points") || !check.is_sound("path.table")) return false;
  if (!read_points(options, check)) return false;
  const std::size_t least = options.closed ? 3 : 2;
  if (options.points.size() < least) {
    check.fault(
        key,
        fmt::format("a {}spline needs at least {} points, here are {}",
                    options.closed ? "closed " : "", least, options.points.size()),
        "write  table = \"points.csv\"  with the header x,y, or  points = [[0, 0], [1, 0]]");
    return false;
  }
  bool apart = true;
  const std::size_t count = options.points.size();
  for (std::size_t i = 0; i + 1 < count + (options.closed ? 1U : 0U); ++i) {
    if (!is_same(options.points[i], options.points[(i + 1) % count])) continue;
    apart = false;
    check.fault(
        key, fmt::format("points {} and {} are one", i + 1, (i + 1) % count + 1),
        options.closed ? "a closed path does not repeat its first point" : "leave one of them out");
  }
  if (!apart) return false;
  const std::optional<std::size_t> back = find_turning_back(options.points, options.closed);
  if (!back) return true;
  const Vector2d& place = options.points[*back];
  check.fault(key,
              fmt::format("the path stops at point {}, ({:.6g}, {:.6g}), and turns back there the "
                          "way it came: nothing can follow that",
                          *back + 1, place.x(), place.y()),
              "leave points out so that it goes on, or lead it round a curve");
  return false;
}

void check_path(PathKeys& options, Check& check) {
  const keys::Node* table = check.find("path");
  if (table == nullptr || !table->is_table() || !check.is_sound("path.shape")) return;
  if (!options.shape) {
    const bool says_something =
        !options.piece.empty() || std::ranges::any_of(table->fields, [&](const auto& field) {
          return field.first != "piece" && check.is_changed("path." + field.first);
        });
    if (says_something) {
      check.fault("path", "needs the key path.shape", "for example  shape = \"turn\"");
    }
    return;
  }
  options.sound = *options.shape != Shape::spline || check_points(options, check);
  if (*options.shape != Shape::pieces && !options.piece.empty()) {
    check.fault("path.piece", "goes with shape = \"pieces\"", "leave it out, or change shape");
  }
  if (*options.shape == Shape::pieces && options.piece.empty()) options.sound = false;
  const bool given = check.find("path.piece") != nullptr;  // and refused, if there is none left
  if (*options.shape == Shape::pieces && options.piece.empty() &&
      (!given || check.is_sound("path.piece"))) {
    check.fault("path.shape", "\"pieces\" needs at least one [[path.piece]]",
                "for example  [[path.piece]]  length = 1.0");
  }
  if (!options.straight) options.straight = *options.shape == Shape::eight ? 0.5 : 1.0;
}

keys::Table<PieceKeys> piece_entry() {
  return keys::Table<PieceKeys>("")
      .row({.name = "length",
            .unit = "m",
            .min = 0,
            .max = far,
            .above_min = true,
            .doc = "length of a piece; the last continues for ever",
            .example = "1.0",
            .required = true},
           &PieceKeys::length)
      .row({.name = "curvature",
            .unit = "1/m",
            .min = -1e4,
            .max = 1e4,
            .doc = "curvature where it begins, positive to the left",
            .example = "0.5"},
           &PieceKeys::curvature)
      .row({.name = "curvature_end",
            .unit = "1/m",
            .default_note = "curvature",
            .min = -1e4,
            .max = 1e4,
            .doc = "curvature where it ends, linear in between",
            .example = "1.0"},
           &PieceKeys::curvature_end);
}

}  // namespace

const keys::Section& path_keys() {
  static const keys::Section section =
      keys::Table<PathKeys>("path")
          .row({.name = "shape",
                .default_note = "none: there is no path",
                .choices = shapes(),
                .doc = "what the path is like; straight before s = 0. Robots on wheels start on it "
                       "and follow it by \"n_trailer\" and \"follow_the_leader\"; other "
                       "controllers, and models without start.on_path, ignore it",
                .example = "\"turn\""},
               &PathKeys::shape)
          .row({.name = "position",
                .unit = "m",
                .min = -far,
                .max = far,
                .doc = "where s = 0 is",
                .example = "[0.0, 0.0]",
                .with = with(
                    {"line", "circle", "turn", "s", "slalom", "eight", "serpenoid", "pieces"})},
               &PathKeys::position)
          .row({.name = "heading_deg",
                .unit = "deg",
                .min = -3600,
                .max = 3600,
                .doc = "direction of travel there, from +x; of a serpenoid the mean direction, it "
                       "starts amplitude to the left of it",
                .example = "0.0",
                .with = with(
                    {"line", "circle", "turn", "s", "slalom", "eight", "serpenoid", "pieces"})},
               &PathKeys::heading_deg)
          .row({.name = "leads",
                .choices = {{"first", "link 1 is in front"}, {"last", "the last link is"}},
                .doc = "which end of the robot is in front",
                .example = "\"first\""},
               &PathKeys::leads)
          .row({.name = "radius",
                .unit = "m",
                .min = 0,
                .max = far,
                .above_min = true,
                .doc = "of arcs and circles",
                .example = "0.75",
                .with = with(kArcs)},
               &PathKeys::radius)
          .row({.name = "turn_deg",
                .unit = "deg",
                .min = -3600,
                .max = 3600,
                .doc = "of one arc; negative: the mirror image",
                .example = "90.0",
                .with = with({"turn", "s", "slalom"})},
               &PathKeys::turn_deg)
          .row({.name = "straight",
                .unit = "m",
                .default_note = "1; 0.5 for eight",
                .min = 0,
                .max = far,
                .doc = "straight way before the first arc",
                .example = "1.0",
                .with = with(kArcs)},
               &PathKeys::straight)
          .row({.name = "amplitude",
                .unit = "rad",
                .min = -3,
                .max = 3,
                .doc = "of the direction of a serpenoid",
                .example = "0.99",
                .with = with({"serpenoid"})},
               &PathKeys::amplitude)
          .row({.name = "wavelength",
                .unit = "m",
                .min = 0,
                .max = far,
                .above_min = true,
                .doc = "of a serpenoid, along the path",
                .example = "0.765",
                .with = with({"serpenoid"})},
               &PathKeys::wavelength)
          .row({.name = "table",
                .default_note = "none",
                .doc = "CSV of the points of a spline: x,y in m",
                .example = "\"points.csv\"",
                .with = with({"spline"})},
               &PathKeys::table)
          .row({.name = "points",
                .unit = "m",
                .min = -far,
                .max = far,
                .doc = "points of a spline, instead of a table",
                .example = "[[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]]",
                .with = with({"spline"})},
               &PathKeys::points)
          .row({.name = "closed",
                .doc = "the spline joins its first point again, and goes round for ever",
                .example = "false",
                .with = with({"spline"})},
               &PathKeys::closed)
          .list({.name = "piece",
                 .noun = "a piece",
                 .example = "length = 1.0, curvature = 0.5",
                 .hint = "write  [[path.piece]]  once per piece, then length and curvature"},
                &PathKeys::piece, piece_entry())
          .check(check_path);
  return section;
}

}  // namespace coluber::path
