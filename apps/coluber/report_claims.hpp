#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduce_judge.hpp"

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

/// `{"claims": [...]}`, the command line's contract.
std::string claims_json(const std::vector<SourceReport>& reports);

/// The same as a table for people.
std::string claims_table(const std::vector<SourceReport>& reports);

/// One page that needs nothing else: no script, no style sheet, no picture beside it.
std::string claims_page(const std::vector<SourceReport>& reports,
                        const std::vector<ReportFigure>& figures, const std::string& version);

}  // namespace coluber::app
