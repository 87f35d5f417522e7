#include "coluber/record/csv.hpp"

#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "record/csv_writer.hpp"

namespace coluber::record {

std::vector<std::string> column_names(const Observable& observable) {
  if (observable.size() == 0) return {};  // other axes may be long all the same
  std::vector<std::string> names{observable.name};
  for (std::size_t axis = 0; axis < observable.shape.size(); ++axis) {
    const bool labelled =
        axis + 1 == observable.shape.size() &&
        observable.components.size() == static_cast<std::size_t>(observable.shape[axis]);
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (int i = 0; i < observable.shape[axis]; ++i) {
        longer.push_back(name + '.' +
                         (labelled ? observable.components[static_cast<std::size_t>(i)]
                                   : std::to_string(i + 1)));
      }
    }
    names = std::move(longer);
  }
  return names;
}

std::string table_head(const std::vector<Observable>& observables) {
  std::string line = "time";
  for (const Observable& observable : observables) {
    for (const std::string& name : column_names(observable)) line += ',' + name;
  }
  return line + '\n';
}

CsvWriter::CsvWriter(const std::filesystem::path& file, const std::vector<Observable>& observables,
                     OutputFile::Draft draft)
    : out_(file, draft) {
  out_.write(table_head(observables));
}

// fmt's {} is the shortest text that reads back to the same bits, whatever the locale.
void CsvWriter::row(double time, std::span<const double> values) {
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "{}", time);
  for (const double value : values) fmt::format_to(std::back_inserter(line_), ",{}", value);
  line_ += '\n';
  out_.write(line_);
}

void save_csv(const Trajectory& trajectory, const std::filesystem::path& file,
              const GiveUp& give_up) {
  CsvWriter writer(file, trajectory.observables, OutputFile::Draft::unique);
  const auto stride = static_cast<std::size_t>(frame_size(trajectory.observables));
  const std::span<const double> values(trajectory.values);
  for (std::size_t k = 0; k < trajectory.frames(); ++k) {
    check_given_up(give_up);
    writer.row(trajectory.time[k], values.subspan(k * stride, stride));
  }
  writer.commit();
}

}  // namespace coluber::record
