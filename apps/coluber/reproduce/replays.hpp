#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "coluber/record/replay_pack.hpp"

#include "reproduce/report.hpp"

namespace coluber::app {

/// Runs again, into `folder`/<name>, every run that a figure of the reports shows, with our
/// defaults, and packs it for the page. A run that cannot be done is left out with a warning on
/// stderr.
std::vector<ReportReplay> make_replays(const std::vector<SourceReport>& reports,
                                       const RunStore& store, const std::filesystem::path& folder);

/// The parts of the page that show them: the packed runs under their figures, one copy of the
/// viewer's page, and a few lines of script that put the two together when a reader opens a replay.
/// `viewer` is the text of the viewer's page.
ReplayParts make_replay_parts(const std::string& viewer, const std::vector<ReportReplay>& replays);

}  // namespace coluber::app
