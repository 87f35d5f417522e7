// Sweep files: s.toml and the table d.csv. Whatever they hold, the loader returns a sweep or throws
// InputError. Of a sweep any point can be computed, its hash is that of the same point of the sweep
// read back from its text, and its scenario is made or refused by InputError.
//
// The base is a shipped scenario, which the input names or not.

#include "coluber/sweep/sweep.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "coluber/core/error.hpp"

#include "input.hpp"
#include "mutate.hpp"

namespace {

using namespace coluber;

constexpr const char* odd_values[] = {
    "nan", "inf", "-inf",          "0",  "-1",      "1e308",  "true",      "\"\"",
    "[]",  "{}",  "[[1, 2], [3]]", "32", "\"log\"", "1e-308", "\"sobol\"", "9223372036854775807"};

/// Gives a line another value, or doubles it.
std::string change_lines(const std::string& text, std::minstd_rand& generator) {
  if (text.empty()) return text;
  const std::size_t at = generator() % text.size();
  const std::size_t begin =
      text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string line = text.substr(begin, end > begin ? end - begin : 0);
  if (generator() % 4 == 0) {
    line += '\n' + line;
  } else if (const std::size_t equals = line.find('='); equals != std::string::npos) {
    line = line.substr(0, equals) + "= " + fuzz::pick(odd_values, generator);
  }
  return text.substr(0, begin) + line + text.substr(std::max(begin, end));
}

void use(const sweep::Sweep& sweep) {
  const auto again = sweep::Sweep::from_text(sweep.to_text());
  const std::vector<double> searched(sweep.searched(), 0.7);
  for (const std::int64_t k : {std::int64_t{1}, (sweep.size() + 1) / 2, sweep.size()}) {
    const auto point = sweep.point(k, searched);
    if (again.point(k, searched).hash != point.hash) std::abort();
    if (sweep.cells(point).size() != sweep.axis_columns().size()) std::abort();
    try {
      static_cast<void>(sweep.options(point));
    } catch (const InputError&) {  // refused at this point
    }
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return fuzz::mutate(data, size, max_size, seed, change_lines, fuzz::keep);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::Folder folder;
  const std::vector<std::string_view> parts = fuzz::split(data, size);
  folder.put("s.toml", parts[0]);
  folder.put("d.csv", parts.size() > 1 ? std::optional(parts[1]) : std::nullopt);
  try {
    use(sweep::Sweep::load(folder.path() / "s.toml"));
  } catch (const InputError&) {  // any other exception is a fault of ours
  }
  return 0;
}
