#include "reproduce/claims.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "data_dir.hpp"
#include "fault.hpp"
#include "reproduce/claim_reader.hpp"

namespace coluber::app {

namespace {

namespace fs = std::filesystem;

}  // namespace

std::string_view to_string(ClaimKind kind) {
  static constexpr std::array<std::string_view, 3> names{"number", "relation", "behaviour"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(ClaimBasis basis) {
  static constexpr std::array<std::string_view, claim_bases> names{"number", "figure", "statement",
                                                                   "own"};
  return names[static_cast<std::size_t>(basis)];
}

std::string_view to_string(ClaimStatus status) {
  static constexpr std::array<std::string_view, 3> names{"reproduced", "differs",
                                                         "not-reproducible"};
  return names[static_cast<std::size_t>(status)];
}

bool done_in(const ClaimRun& run, const Way& way) {
  return run.ways.empty() || std::ranges::find(run.ways, way.name) != run.ways.end();
}

std::set<std::string> runs_needed(const Claim& claim) {
  std::set<std::string> names;
  const auto add = [&](const std::string& run, const MeasureSpec& measure) {
    if (!run.empty()) names.insert(run);
    for (const auto& name : measure::runs_of_measure(measure)) names.insert(name);
  };
  add(claim.run, claim.measure);
  add(claim.control_run, claim.control_measure);
  return names;
}

std::set<std::string> runs_needed(const ClaimFigure& figure) {
  std::set<std::string> names(figure.runs.begin(), figure.runs.end());
  for (const auto& panel : figure.panels) {
    names.insert(panel.runs.begin(), panel.runs.end());
    names.insert(panel.against.begin(), panel.against.end());
  }
  return names;
}

const Way& way_of(const ClaimFile& file, const ClaimFigure& figure) {
  const auto names = runs_needed(figure);
  const auto shown = [&](const Way& way) {
    return std::ranges::all_of(
        names, [&](const auto& name) { return done_in(file.runs.find(name)->second, way); });
  };
  const auto way = std::find_if(file.ways.rbegin(), file.ways.rend(), shown);
  return way == file.ways.rend() ? file.ways.back() : *way;
}

std::string figure_name(const ClaimFile& file, int number) {
  return fmt::format("{}-{}-{}", file.source, file.path.stem().string(), number);
}

std::vector<ClaimFile> load_claims(const fs::path& folder) {
  // reproduce/<source>/*.toml; folders below hold what claims refer to
  auto paths = files_in(folder, ".toml");
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_directory()) continue;
    const auto more = files_in(entry->path(), ".toml");
    paths.insert(paths.end(), more.begin(), more.end());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Diagnostic> faults;
  std::vector<ClaimFile> files;
  std::map<std::string, std::string> seen;
  for (const auto& path : paths) {
    files.push_back(ClaimReader(path, faults).read());
    for (const auto& claim : files.back().claims) {
      const auto [other, fresh] = seen.emplace(claim.id, claim.file);
      if (!fresh && other->second != claim.file)
        faults.push_back(make_fault(claim.file, claim.line, 1,
                                    fmt::format("{} is in {} too", claim.id, other->second), "",
                                    "claim.id"));
    }
  }
  if (paths.empty())
    faults.push_back(
        make_fault(folder.string(), 0, 0, "there are no claims (*.toml) in this folder"));
  if (!faults.empty()) throw InputError(faults);
  return files;
}

}  // namespace coluber::app
