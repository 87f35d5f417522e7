#include "reproduce/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "page/replay_page.hpp"

namespace coluber::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view page_title = "<title>Coluber: published results beside ours</title>";

Json to_json(const MeasureValue& value) {
  if (const auto* links = std::get_if<std::vector<int>>(&value)) return *links;
  return std::get<double>(value);
}

/// Default minus first way, where both are numbers.
Json difference_of(const std::vector<std::pair<std::string, MeasureValue>>& values) {
  if (values.size() < 2) return nullptr;
  const auto* first = std::get_if<double>(&values.front().second);
  const auto* last = std::get_if<double>(&values.back().second);
  if (first == nullptr || last == nullptr) return nullptr;
  return *last - *first;
}

Json to_json(const Verdict& verdict) {
  const auto& claim = *verdict.claim;
  const bool behaviour = claim.kind == ClaimKind::behaviour;
  const auto* measured = verdict.measured();
  const bool computed = measured != nullptr;
  Json item;
  item["id"] = claim.id;
  item["source"] = claim.source;
  item["where"] = claim.where;
  item["statement"] = claim.statement;
  item["kind"] = to_string(claim.kind);
  item["basis"] = to_string(claim.basis);
  // a behaviour is true or false; its numbers are in `values`
  item["published"] = behaviour ? Json(true) : claim.published ? Json(*claim.published) : Json();
  item["tolerance"] = behaviour ? Json(0.0) : claim.published ? Json(claim.tolerance) : Json();
  if (!computed) {
    item["measured"] = nullptr;
  } else if (behaviour) {
    item["measured"] = fulfils(*measured, claim.holds);
  } else {
    item["measured"] = to_json(*measured);
  }
  item["unit"] = claim.unit;
  item["expected"] = behaviour        ? Json(claim.recorded != ClaimStatus::differs)
                     : claim.expected ? Json(*claim.expected)
                                      : Json();
  item["band"] = behaviour ? Json(0.0) : claim.expected ? Json(claim.band) : Json();
  if (claim.recorded == ClaimStatus::not_reproducible) {
    item["published"] = nullptr;
    item["tolerance"] = nullptr;
  }
  if (!claim.is_measured()) {
    item["expected"] = nullptr;
    item["band"] = nullptr;
  }
  // the way that decides; one that is named is held alone to the status and the band
  item["judged"] = computed ? Json(verdict.judged) : Json();
  auto values = Json::object();
  for (const auto& [way, value] : verdict.values) values[way] = to_json(value);
  if (computed) values["difference"] = difference_of(verdict.values);
  if (const auto* control = verdict.control()) values["control"] = to_json(*control);
  item["values"] = std::move(values);
  item["status"] = to_string(verdict.status);
  item["recorded"] = to_string(claim.recorded);
  if (behaviour && computed) {
    auto condition = Json::object();
    if (claim.holds.at_least) condition["at_least"] = *claim.holds.at_least;
    if (claim.holds.at_most) condition["at_most"] = *claim.holds.at_most;
    if (claim.holds.equals) condition["equals"] = *claim.holds.equals;
    auto control = Json::object();
    control["run"] = claim.control_run.empty() ? claim.run : claim.control_run;
    auto control_values = Json::object();
    bool holds = false;
    for (const auto& [way, value] : verdict.controls) {
      control_values[way] = to_json(value);
      if (claim.judged.empty() || way == claim.judged) holds = holds || fulfils(value, claim.holds);
    }
    control["values"] = std::move(control_values);
    control["measured"] = holds;
    item["condition"] = std::move(condition);
    item["control"] = std::move(control);
  }
  item["passed"] = verdict.passed();
  item["failures"] = verdict.failures;
  item["note"] = claim.note;
  return item;
}

// ---- for people ---------------------------------------------------------------------------------

std::string number(double value) {
  auto text = fmt::format("{:.4g}", value);
  return text == "-0" ? "0" : text;
}

std::string shown(const MeasureValue& value) {
  if (const auto* links = std::get_if<std::vector<int>>(&value))
    return links->empty() ? "no link" : fmt::format("{{{}}}", fmt::join(*links, ", "));
  return number(std::get<double>(value));
}

std::string condition_of(const Bounds& bounds) {
  std::string text;
  if (bounds.equals) text = fmt::format("= {{{}}}", fmt::join(*bounds.equals, ", "));
  if (bounds.at_least) text += fmt::format("≥ {}", number(*bounds.at_least));
  if (bounds.at_most)
    text += fmt::format("{}≤ {}", text.empty() ? "" : ", ", number(*bounds.at_most));
  return text;
}

std::string published_of(const Claim& claim) {
  if (claim.recorded == ClaimStatus::not_reproducible) return "–";
  if (claim.published)
    return fmt::format("{} ± {}", number(*claim.published), number(claim.tolerance));
  const auto condition = condition_of(claim.holds);
  if (!condition.empty()) return fmt::format("({})", condition);  // our reading of its words
  return claim.where.find("fig") == std::string::npos ? "(not given)" : "(figure)";
}

std::string expected_of(const Claim& claim) {
  return claim.expected ? fmt::format("{} ± {}", number(*claim.expected), number(claim.band)) : "";
}

/// Some claims are judged by a way of their own: then every number says which way it comes from.
bool name_ways(const SourceReport& report) {
  return std::ranges::any_of(report.verdicts, [](const Verdict& verdict) {
    return !verdict.claim->judged.empty() && verdict.measured() != nullptr;
  });
}

std::string measured_of(const Verdict& verdict, bool named) {
  const auto* value = verdict.measured();
  if (value == nullptr) return "–";
  return named ? fmt::format("{} ({})", shown(*value), verdict.judged) : shown(*value);
}

std::string other_way_of(const Verdict& verdict, bool named) {
  if (verdict.values.size() < 2) return "";
  if (!named) return shown(verdict.values.front().second);
  std::string others;
  for (const auto& [way, value] : verdict.values)
    if (way != verdict.judged)
      others += fmt::format("{}{} ({})", others.empty() ? "" : ", ", shown(value), way);
  return others;
}

/// How many claims of each basis have each status.
using Counts = std::array<std::array<int, 3>, claim_bases>;

Counts count_of(const std::vector<SourceReport>& reports) {
  Counts counts{};
  for (const auto& report : reports)
    for (const auto& verdict : report.verdicts)
      ++counts[static_cast<std::size_t>(verdict.claim->basis)]
              [static_cast<std::size_t>(verdict.status)];
  return counts;
}

constexpr std::array<std::string_view, claim_bases> basis_words{
    "numbers that a source prints", "readings of its figures", "its statements",
    "our own computations, where it gives nothing to compare with"};

/// Characters as a reader counts them: UTF-8 continuation bytes take no room.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// The picture without its XML heading, its ids made this page's own.
std::string inlined(std::string svg, std::size_t index, std::string_view label) {
  const auto replace = [&svg](std::string_view from, const std::string& to) {
    for (std::size_t at = svg.find(from); at != std::string::npos;
         at = svg.find(from, at + to.size()))
      svg.replace(at, from.size(), to);
  };
  if (const auto start = svg.find("<svg"); start != std::string::npos) svg.erase(0, start);
  replace("id=\"", fmt::format("id=\"f{}-", index));
  replace("id='", fmt::format("id='f{}-", index));
  replace("xlink:href='#", fmt::format("xlink:href='#f{}-", index));
  replace("url(#", fmt::format("url(#f{}-", index));
  const auto open = svg.find("<svg");
  if (open != std::string::npos)
    svg.insert(open + 4, fmt::format(" role=\"img\" aria-label=\"{}\"", escaped(label)));
  return svg;
}

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ink: #1f2328; --quiet: #5b636d; --page: #ffffff; --line: #d8dde3;
  --good: #00674a; --other: #8a4b00; --none: #5b636d; --bad: #b3261e; --card: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --quiet: #a2abb5; --page: #14171a; --line: #363c43;
    --good: #5fd0a8; --other: #f0b35c; --none: #a2abb5; --bad: #ff8a80; --card: #1d2125; }
  figure svg { filter: invert(0.92) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem 1rem 4rem; background: var(--page);
  color: var(--ink); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 0.6rem; }
p { margin: 0.5rem 0; }
.quiet, figcaption, .where { color: var(--quiet); font-size: 0.9rem; }
.counts { margin: 1rem 0; width: auto; }
.counts td.n { font-weight: 600; text-align: right; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.6rem; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--quiet); }
td.n { font-variant-numeric: tabular-nums; white-space: nowrap; }
td.claim { min-width: 15rem; width: 100%; }
.id { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.85rem; font-weight: 600;
  margin-right: 0.4rem; }
.status { font-weight: 600; }
.reproduced { color: var(--good); } .differs { color: var(--other); }
.not-reproducible { color: var(--none); } .failed { color: var(--bad); }
.note { margin: 0.3rem 0 0; font-size: 0.87rem; color: var(--quiet); }
figure { margin: 1.5rem 0 2rem; }
figure svg { display: block; width: 100%; height: auto; border-radius: 0.3rem; }
figcaption { margin-top: 0.4rem; }
.replay { border: 1px solid var(--line); border-radius: 0.4rem; margin: 0.6rem 0; overflow: hidden; }
.replay summary { cursor: pointer; padding: 0.5rem 0.8rem; background: var(--card); }
.replay iframe { display: block; width: 100%; height: 85vh; min-height: 30rem; border: 0; }
@media (max-width: 46rem) {
  table, tbody, tr, td { display: block; width: 100%; }
  thead { display: none; }
  tr { border: 1px solid var(--line); border-radius: 0.4rem; margin: 0 0 0.8rem; padding: 0.4rem 0.2rem; }
  td, td.claim { border: 0; padding: 0.2rem 0.6rem; min-width: 0; }
  td.n[data-label]::before { content: attr(data-label) ": "; color: var(--quiet); }
  td.n:empty { display: none; }
  figure { overflow-x: auto; } figure svg { min-width: 34rem; }
}
)";

// Nothing of a source whose runs are done in one way. `named`: numbers say which way they are from.
std::string ways_in_words(const std::vector<Way>& ways, bool named) {
  if (ways.size() < 2) return "";
  std::string words;
  for (const auto& way : ways)
    words += fmt::format("{}<b>{}</b> ({})", words.empty() ? "" : " and ", escaped(way.name),
                         way.set.empty() ? "as Coluber comes"
                                         : escaped(fmt::format("{}", fmt::join(way.set, ", "))));
  return fmt::format(
      "Each run is done in the ways {}; {}. ", words,
      named
          ? "\"ours\" is what the claim is judged by, and each number says which way it comes from"
          : "\"ours\" is the last");
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string claims_json(const std::vector<SourceReport>& reports) {
  auto claims = Json::array();
  for (const auto& report : reports)
    for (const auto& verdict : report.verdicts) claims.push_back(to_json(verdict));
  Json root;
  root["claims"] = std::move(claims);
  return root.dump(2, ' ', false, Json::error_handler_t::replace);
}

bool is_claims_json(std::string_view text) {
  const Json root = Json::parse(text, nullptr, false);
  if (!root.is_object() || !root.contains("claims") || !root["claims"].is_array()) return false;
  return !root["claims"].empty() && std::ranges::all_of(root["claims"], [](const Json& claim) {
    return claim.is_object() &&
           std::ranges::all_of(std::array{"id", "published", "tolerance", "expected", "band",
                                          "judged", "values", "status"},
                               [&](const char* key) { return claim.contains(key); });
  });
}

bool is_claims_page(std::string_view head) {
  return head.find(page_title) != std::string_view::npos;
}

std::string claims_table(const std::vector<SourceReport>& reports) {
  const bool named = std::ranges::any_of(reports, name_ways);
  std::vector<std::array<std::string, 8>> rows{
      {"claim", "basis", "published", named ? "measured (way)" : "measured",
       named ? "the other way" : "the source's way", "expected", "unit", "status"}};
  for (const auto& report : reports)
    for (const auto& verdict : report.verdicts)
      rows.push_back(
          {verdict.claim->id, std::string{to_string(verdict.claim->basis)},
           published_of(*verdict.claim), measured_of(verdict, named), other_way_of(verdict, named),
           expected_of(*verdict.claim), verdict.claim->unit,
           fmt::format("{}{}", to_string(verdict.status), verdict.passed() ? "" : "  FAILED")});
  std::array<std::size_t, 8> widths{};
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width_of(row[k]));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k)
      line += row[k] + std::string(k + 1 < row.size() ? widths[k] - width_of(row[k]) + 2 : 0, ' ');
    text += line + '\n';
  }
  text += fmt::format("\n{:<10}{:>11}{:>9}{:>18}\n", "basis", to_string(ClaimStatus::reproduced),
                      to_string(ClaimStatus::differs), to_string(ClaimStatus::not_reproducible));
  const Counts counts = count_of(reports);
  for (std::size_t basis = 0; basis < claim_bases; ++basis)
    text += fmt::format("{:<10}{:>11}{:>9}{:>18}   {}\n", to_string(static_cast<ClaimBasis>(basis)),
                        counts[basis][0], counts[basis][1], counts[basis][2], basis_words[basis]);
  return text;
}

std::string claims_page(const std::vector<SourceReport>& reports,
                        const std::vector<ReportFigure>& figures, const std::string& version,
                        const ReplayParts& replays) {
  const Counts counts = count_of(reports);
  int failed = 0;
  for (const auto& report : reports)
    for (const auto& verdict : report.verdicts) failed += verdict.passed() ? 0 : 1;
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}; frame-src blob:\">\n"
      "{}\n<style>{}</style>\n</head>\n<body>\n"
      "<h1>Published results beside ours</h1>\n"
      "<p class=\"quiet\">Every number on this page was recomputed by coluber {} from the "
      "scenarios it "
      "ships.</p>\n<table class=\"counts\">\n<thead><tr><th>judged by</th><th>reproduced</th>"
      "<th>differ, with an explanation</th><th>not reproducible</th></tr></thead>\n<tbody>\n",
      page_policy(), page_title, style, escaped(version));
  for (std::size_t basis = 0; basis < claim_bases; ++basis)
    page += fmt::format(
        "<tr><td><b>{}</b>: {}</td><td class=\"n reproduced\" data-label=\"reproduced\">{}</td>"
        "<td class=\"n differs\" data-label=\"differ\">{}</td>"
        "<td class=\"n not-reproducible\" data-label=\"not reproducible\">{}</td></tr>\n",
        to_string(static_cast<ClaimBasis>(basis)), basis_words[basis], counts[basis][0],
        counts[basis][1], counts[basis][2]);
  page += "</tbody>\n</table>\n";
  if (failed > 0)
    page += fmt::format("<p><b class=\"failed\">{}</b> not as recorded</p>\n", failed);
  for (const auto& report : reports) {
    if (report.verdicts.empty()) continue;
    page += fmt::format(
        "<h2>{}</h2>\n",
        escaped(report.file->document.empty() ? report.file->source : report.file->document));
    const bool named = name_ways(report);
    page += fmt::format(
        "<p class=\"quiet\">{}In parentheses: how a statement without a number was read.</p>\n",
        ways_in_words(report.file->ways, named));
    const std::string other = named                          ? "the other way"
                              : report.file->ways.size() > 1 ? report.file->ways.front().name
                                                             : "";
    page += fmt::format(
        "<table>\n<thead><tr><th>what the source says</th><th>basis</th><th>published</th>"
        "<th>ours</th>"
        "<th>{}</th><th>expected</th><th>unit</th><th>status</th></tr></thead>\n<tbody>\n",
        escaped(other));
    for (const auto& verdict : report.verdicts) {
      const auto& claim = *verdict.claim;
      const std::string unit = claim.unit.empty() ? "" : " " + claim.unit;
      const auto cell = [&](std::string_view label, const std::string& value) {
        page += fmt::format("<td class=\"n\" data-label=\"{}\">{}</td>", escaped(label),
                            escaped(value));
      };
      page += fmt::format(
          "<tr><td class=\"claim\"><span class=\"id\">{}</span> <span "
          "class=\"where\">{}</span><br>{}",
          escaped(claim.id), escaped(claim.where), escaped(claim.statement));
      if (const auto* control = verdict.control())
        page += fmt::format("<p class=\"note\">Negative control: {}.</p>",
                            escaped(shown(*control) + unit));
      if (!claim.judged.empty())
        page += fmt::format("<p class=\"note\">Judged in the way \"{}\" alone.</p>",
                            escaped(claim.judged));
      if (!claim.note.empty()) page += fmt::format("<p class=\"note\">{}</p>", escaped(claim.note));
      for (const auto& failure : verdict.failures)
        page += fmt::format("<p class=\"note failed\">{}</p>", escaped(failure));
      page += "</td>";
      cell("basis", std::string{to_string(claim.basis)});
      cell("published", published_of(claim));
      cell("ours", measured_of(verdict, named));
      cell(other, other_way_of(verdict, named));
      cell("expected", expected_of(claim));
      cell("unit", claim.unit);
      page += fmt::format(
          "<td class=\"status {}\">{}</td></tr>\n",
          verdict.passed() ? to_string(verdict.status) : "failed",
          verdict.passed() ? to_string(verdict.status) : std::string_view("not as recorded"));
    }
    page += "</tbody>\n</table>\n";
  }
  if (!figures.empty()) page += "<h2>Figures</h2>\n" + replays.note;
  auto left = replays.figures;
  for (std::size_t k = 0; k < figures.size(); ++k) {
    page += fmt::format("<figure>\n{}\n<figcaption><b>{}</b> {}</figcaption>\n</figure>\n",
                        inlined(figures[k].svg, k + 1, figures[k].title), escaped(figures[k].title),
                        escaped(figures[k].caption));
    if (const auto here = left.extract(figures[k].name)) page += here.mapped();
  }
  if (!left.empty()) page += "<h2>Replays</h2>\n" + (figures.empty() ? replays.note : "");
  for (const auto& [figure, html] : left) page += html;
  page += replays.end;
  page += "</body>\n</html>\n";
  return page;
}

}  // namespace coluber::app
