#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "coluber/record/replay_pack.hpp"

#include "reproduce/judge.hpp"

namespace coluber::app {

/// A claims file, the verdicts on those of its claims that were asked for, in its order.
struct SourceReport {
  const ClaimFile* file = nullptr;
  std::vector<Verdict> verdicts;
};

/// A picture in the report: SVG and what it shows.
struct ReportFigure {
  std::string name;  ///< file name without ending
  std::string title;
  std::string caption;
  std::string svg;
};

/// A run a reader can play in the report.
struct ReportReplay {
  std::string title;
  std::string claims;  ///< ids of those that rest on it
  std::string figure;  ///< name of the first that shows it
  record::PackedRun run;
};

/// The replays as HTML that is ready for the page.
struct ReplayParts {
  std::string note;                            ///< what they are, before the first
  std::map<std::string, std::string> figures;  ///< those that belong under a figure, by its name
  std::string end;                             ///< before the page's end: what opens them
};

/// Text for HTML, element or attribute.
std::string escaped(std::string_view text);

/// `{"claims": [...]}`, the command line's contract.
std::string claims_json(const std::vector<SourceReport>& reports);

/// Whether a file's text is what claims_json() makes, of any version.
bool is_claims_json(std::string_view text);
/// Whether a page that begins so is one of claims_page().
bool is_claims_page(std::string_view head);

/// The same as a table for people.
std::string claims_table(const std::vector<SourceReport>& reports);

/// One page that needs nothing else: no style sheet, no picture beside it, and no script but that
/// of the replays, each under its figure; at the end where the figure is missing.
std::string claims_page(const std::vector<SourceReport>& reports,
                        const std::vector<ReportFigure>& figures, const std::string& version,
                        const ReplayParts& replays = {});

}  // namespace coluber::app
