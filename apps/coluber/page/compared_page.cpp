#include "page/compared_page.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "plot/gnuplot.hpp"

namespace coluber::app {

namespace fs = std::filesystem;

namespace {

/// Text within the quotes of an attribute.
std::string quoted_attribute(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    const bool plain = c != '"' && c != '&' && c != '<' && c != '>';
    quoted += plain ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c));
  }
  return quoted;
}

}  // namespace

std::string folder_name(const fs::path& run) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(run, error);
  const fs::path& named = error ? run : whole;
  return (named.has_filename() ? named : named.parent_path()).filename().string();
}

std::vector<std::string> run_names(const std::vector<fs::path>& runs) {
  std::vector<std::string> names;
  for (const auto& run : runs) names.push_back(folder_name(run));
  auto sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return names;
  names.clear();
  for (const auto& run : runs) names.push_back(run.string());
  return names;
}

PageInfo save_compared_page(const std::vector<fs::path>& runs, const fs::path& file) {
  std::string page = load_viewer();
  std::size_t least = page.size();
  for (const auto& run : runs) least += record::least_packed_size(run);
  require_page_size(least, least, runs);
  PageInfo info;
  std::string data =
      fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", page_policy());
  const auto names = run_names(runs);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const auto packed = record::pack_run(runs[k]);
    data += fmt::format(
        "<script type=\"application/json\" id=\"coluber-run{}\" data-name=\"{}\">{}</script>\n",
        k == 0 ? "" : fmt::format("-{}", k + 1), quoted_attribute(names[k]), packed.json);
    info.data += packed.packed_bytes;
    info.raw += packed.raw_bytes;
  }
  page.replace(page.find(viewer_mark), viewer_mark.size(), data);
  info.page = page.size();
  require_page_size(info.page, least, runs);
  save_text(page, file);
  return info;
}

}  // namespace coluber::app
