#include "reproduce/replays.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"
#include "coluber/record/run_folder.hpp"
#include "coluber/simulation/simulation.hpp"
#include "coluber/simulation/study.hpp"

#include "page/replay_page.hpp"
#include "terminal.hpp"

namespace coluber::app {
namespace {

namespace fs = std::filesystem;

/// `course-peg-3-moved` of "course, peg 3 moved": a name for a folder.
std::string folder_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      result += c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  return result;
}

/// Does a simulation or a study into a folder, and packs it.
template <typename Job>
record::PackedRun pack_job(Job job, const fs::path& folder) {
  record::RunFolder out(folder, job, {.force = true, .options = {}});
  const std::array<simulation::FrameSink*, 1> sinks{&out};
  auto outcome = simulation::run(job, sinks);
  // the report is the same whenever and wherever it is made: no wall times
  std::erase_if(outcome.summary,
                [](const SummaryItem& item) { return item.name == "real_time_factor"; });
  out.finish(outcome);
  return record::pack_run(folder);
}

record::PackedRun run_and_pack(const DoneRun& done, const fs::path& folder) {
  if (!done.command.empty())
    return pack_job(simulation::make_study(done.command, done.scenario), folder);
  auto scenario = done.scenario;
  // some claims ask for every step of a run, no eye does
  scenario.record.rate_hz = std::min(scenario.record.rate_hz, 100.0);
  return pack_job(simulation::make_simulation(scenario), folder);
}

/// Text as a JSON string that may stand in a script element.
std::string script_string(const std::string& text) {
  using Json = nlohmann::json;
  return record::for_script(Json(text).dump(-1, ' ', true, Json::error_handler_t::replace));
}

// A replay is put together only when it is opened, and taken away when it is closed: five at once
// would keep five graphics contexts busy.
constexpr std::string_view opener = R"(
const viewer = JSON.parse(document.getElementById('coluber-viewer').textContent);
for (const part of document.querySelectorAll('details.replay')) {
  let address = '';
  part.addEventListener('toggle', () => {
    part.querySelector('iframe')?.remove();
    URL.revokeObjectURL(address);
    if (!part.open) return;
    const data = document.getElementById(part.dataset.run).textContent;
    const page = viewer.page.replace(viewer.mark, () =>
      viewer.before + '<' + 'script type="application/json" id="coluber-run">' + data + '<' + '/script>');
    address = URL.createObjectURL(new Blob([page], {type: 'text/html;charset=utf-8'}));
    const frame = document.createElement('iframe');
    frame.title = part.querySelector('summary').textContent;
    frame.src = address;  // an address of its own: the viewer keeps its state behind #
    part.append(frame);
  });
}
)";

}  // namespace

std::vector<ReportReplay> make_replays(const std::vector<SourceReport>& reports,
                                       const RunStore& store, const fs::path& folder) {
  std::vector<ReportReplay> replays;
  for (const auto& report : reports) {
    std::set<std::string> seen;
    int number = 0;
    for (const auto& figure : report.file->figures) {
      ++number;
      const Way& way = way_of(*report.file, figure);
      for (const auto& name : figure.runs) {
        const ClaimRun& run = report.file->runs.find(name)->second;
        if (!store.contains(run, way) || !seen.insert(name).second) continue;
        const DoneRun& done = store.at(run, way);
        if (!done.failure.empty()) continue;
        std::vector<std::string> claims;
        for (const auto& verdict : report.verdicts) {
          if (verdict.claim->run == name) claims.push_back(verdict.claim->id);
        }
        try {
          replays.push_back(
              {name, fmt::format("{}", fmt::join(claims, ", ")), figure_name(*report.file, number),
               run_and_pack(done, folder / fmt::format("{}-{}-{}", report.file->source,
                                                       report.file->path.stem().string(),
                                                       folder_name(name)))});
        } catch (const Error& error) {
          print_warning(fmt::format("no replay of {}: {}", name, error.what()));
        }
      }
    }
  }
  return replays;
}

ReplayParts make_replay_parts(const std::string& viewer, const std::vector<ReportReplay>& replays) {
  ReplayParts parts;
  std::size_t bytes = viewer.size();
  for (const auto& replay : replays) bytes += replay.run.packed_bytes;
  parts.note = fmt::format(
      "<p class=\"quiet\">The runs behind the figures, with our defaults, can be played under "
      "them; "
      "they are in this page ({:.1f} MB) and need no network.</p>\n",
      static_cast<double>(bytes) / 1e6);
  for (std::size_t k = 0; k < replays.size(); ++k) {
    const auto& replay = replays[k];
    parts.figures[replay.figure] += fmt::format(
        "<details class=\"replay\" data-run=\"replay-{}\"><summary>Replay: <b>{}</b> <span "
        "class=\"where\">{}</span> <span class=\"quiet\">{:.0f} kB</span></summary></details>\n"
        "<script type=\"application/json\" id=\"replay-{}\">{}</script>\n",
        k + 1, escaped(replay.title), escaped(replay.claims),
        static_cast<double>(replay.run.packed_bytes) / 1e3, k + 1, replay.run.json);
  }
  const std::string before =
      fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", page_policy());
  parts.end = fmt::format(
      "<script type=\"application/json\" "
      "id=\"coluber-viewer\">{{\"page\":{},\"mark\":{},\"before\":{}}}</script>\n<script>{}</"
      "script>\n",
      script_string(viewer), script_string(std::string(viewer_mark)), script_string(before),
      opener);
  return parts;
}

}  // namespace coluber::app
