#include "record/resume.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "coluber/core/error.hpp"
#include "coluber/core/version.hpp"
#include "coluber/record/run_folder.hpp"
#include "coluber/record/run_state.hpp"

#include "record/folder_files.hpp"
#include "record/frame_file.hpp"
#include "record/json_text.hpp"
#include "record/output_file.hpp"
#include "record/refuse.hpp"

namespace coluber::record {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t shown_differences = 8;
constexpr const char* anew_hint = "--force instead of --resume runs it anew";

// "/world/obstacle/0/x" as the file spells it: "world.obstacle.1.x".
std::string to_key(const std::string& pointer) {
  std::string key;
  std::size_t at = 1;
  while (at <= pointer.size()) {
    const std::size_t end = std::min(pointer.find('/', at), pointer.size());
    const std::string word = pointer.substr(at, end - at);
    const bool number = !word.empty() && word.size() < 10 &&
                        word.find_first_not_of("0123456789") == std::string::npos;
    if (!key.empty()) key += '.';
    key += number ? std::to_string(std::stoul(word) + 1) : word;
    at = end + 1;
  }
  return key;
}

// A key without a value is one that was not given.
std::string shown(const Json& value) {
  if (value.is_null()) return "not given";
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string count_of(std::size_t entries) {
  return entries == 0 ? "no entries"
                      : fmt::format("{} entr{}", entries, entries == 1 ? "y" : "ies");
}

// Lists of tables that have more or fewer entries now; a key within them says little then.
std::vector<std::string> find_other_lists(const Json& then, const Json& now,
                                          const std::string& pointer) {
  std::vector<std::string> found;
  if (!then.is_object() || !now.is_object()) return found;
  for (const auto& [word, value] : then.items()) {
    const auto other = now.find(word);
    if (other == now.end()) continue;
    const std::string place = fmt::format("{}/{}", pointer, word);
    const auto has_tables = [](const Json& list) { return !list.empty() && list[0].is_object(); };
    if (value.is_array() && other->is_array()) {
      if (value.size() != other->size() && (has_tables(value) || has_tables(*other))) {
        found.push_back(place);
      }
      continue;
    }
    for (std::string& deeper : find_other_lists(value, *other, place)) {
      found.push_back(std::move(deeper));
    }
  }
  return found;
}

// Every key whose value is another one now.
std::vector<Diagnostic> compare(const Json& then, const Json& now,
                                const scenario::Scenario& scenario) {
  const Json before = then.flatten();
  const Json after = now.flatten();
  std::vector<Diagnostic> faults;
  std::size_t hidden = 0;
  const auto differs = [&](const std::string& pointer, const std::string& message) {
    if (faults.size() == shown_differences) {
      ++hidden;
      return;
    }
    const std::string key = to_key(pointer);
    faults.push_back({scenario::locate(scenario, key), key, message, ""});
  };
  const std::vector<std::string> lists = find_other_lists(then, now, "");
  for (const std::string& pointer : lists) {
    const auto entries = [&](const Json& json) { return json[Json::json_pointer(pointer)].size(); };
    differs(pointer, fmt::format("had {} when the run was begun, has {} now",
                                 count_of(entries(then)), count_of(entries(now))));
  }
  const auto is_told = [&](const std::string& pointer) {
    return std::ranges::any_of(lists, [&](const std::string& list) {
      return pointer == list || pointer.starts_with(list + '/');
    });
  };
  for (const auto& [pointer, value] : before.items()) {
    if (is_told(pointer)) continue;
    const auto found = after.find(pointer);
    if (found == after.end()) {
      differs(pointer, fmt::format("was {} when the run was begun, is gone now", shown(value)));
    } else if (*found != value) {
      differs(pointer,
              fmt::format("was {} when the run was begun, is {} now", shown(value), shown(*found)));
    }
  }
  for (const auto& [pointer, value] : after.items()) {
    if (!is_told(pointer) && !before.contains(pointer)) {
      differs(pointer,
              fmt::format("was not there when the run was begun, is {} now", shown(value)));
    }
  }
  if (!faults.empty()) {
    faults.back().hint = fmt::format(
        "{}a run is resumed with the scenario and options it was "
        "begun with; {}",
        hidden > 0 ? fmt::format("and {} more; ", hidden) : "", anew_hint);
  }
  return faults;
}

// As program_identity() puts it, of the program that began the run.
std::string identity_of(const Json& run) {
  const Json build = run.value("build", Json::object());
  if (!build.is_object()) return "";
  const std::string revision = text_of(build, "revision");
  return fmt::format("{}{}, {}", text_of(run, "version"),
                     revision.empty() ? std::string() : fmt::format(" ({})", revision),
                     text_of(build, "code_path"));
}

}  // namespace

std::optional<RunToResume> find_run(const fs::path& folder, const scenario::Scenario& scenario) {
  const fs::path file = folder / "run.json";
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  RunToResume old;
  const std::string text = read_bytes(file);
  if (is_shallow(text)) old.run = Json::parse(text, nullptr, false);
  if (!old.run.is_object() || text_of(old.run, "format") != "coluber-run") {
    require_own(folder, scenario.record.replay);
    throw FileError(fmt::format("{}: is damaged or not of a run; {}", file.string(), anew_hint));
  }
  const std::string study = load_run_state(folder).study;
  if (!study.empty()) {
    refuse(file, fmt::format("is of `coluber {}`, which is not resumed", study),
           fmt::format("`coluber {} … --out {} --force` computes it anew", study, folder.string()));
  }
  const Json about = old.run.value("scenario", Json());
  const Json then = about.is_object() ? about.value("resolved", Json()) : Json();
  const Json now = Json::parse(scenario.resolved, nullptr, false);
  std::vector<Diagnostic> faults = compare(then, now.is_discarded() ? Json() : now, scenario);
  if (!faults.empty()) throw InputError(std::move(faults));

  const std::string status = text_of(old.run, "status");
  const bool has_frames = fs::exists(folder / frames_name, error);
  if (status == "completed") {
    remove_resumable(folder);  // a crash may have left them
    throw RunEnded(fmt::format("the run in {} is complete: nothing to resume", folder.string()),
                   true);
  }
  if (status == "failed" && !has_frames && !old.run.contains("files")) {  // it had not ended
    throw RunEnded(fmt::format("the run in {} cannot be resumed: its frames are gone; {}",
                               folder.string(), anew_hint),
                   false);
  }
  if (status == "failed" && !has_frames) {
    throw RunEnded(fmt::format("the run in {} has ended and would end the same again: {}",
                               folder.string(), text_of(old.run, "message")),
                   false);
  }
  if (identity_of(old.run) != program_identity()) {
    refuse(file,
           fmt::format("the run was begun by coluber {}; this is {}, which may not give the same "
                       "numbers",
                       identity_of(old.run), program_identity()),
           fmt::format("resume it with the program that began it; {}", anew_hint));
  }
  return old;
}

std::optional<Checkpoint> find_checkpoint(const fs::path& folder, std::uint64_t scenario_hash,
                                          std::size_t frames, std::vector<std::string>& notes) {
  for (const char* name : {checkpoint_name, old_checkpoint_name}) {
    const fs::path file = folder / name;
    std::error_code error;
    if (!fs::exists(file, error)) continue;
    try {
      Checkpoint checkpoint = parse_checkpoint(read_bytes(file), file.string());
      if (checkpoint.program != program_identity() || checkpoint.scenario_hash != scenario_hash) {
        notes.push_back(fmt::format("{}: belongs to another run", file.string()));
      } else if (checkpoint.frames > frames) {
        notes.push_back(fmt::format("{}: speaks of {} frames, of which {} are there", file.string(),
                                    checkpoint.frames, frames));
      } else {
        return checkpoint;
      }
    } catch (const FileError& fault) {
      notes.emplace_back(fault.what());
    }
  }
  notes.push_back(fmt::format(
      "{}: there is no checkpoint to continue from; the run starts at its "
      "beginning{}",
      folder.string(), frames > 0 ? " and its frames are compared with those recorded" : ""));
  return std::nullopt;
}

void remove_resumable(const fs::path& folder) noexcept {
  for (const char* name : {checkpoint_name, old_checkpoint_name, frames_name}) {
    std::error_code error;
    fs::remove(folder / name, error);
    fs::remove(partial_name(folder / name), error);
  }
}

}  // namespace coluber::record
