// Scenario loader: a file with its includes, its tables of joint angles, of obstacles and of a
// path's points and its overrides. Whatever they hold, the loader returns a scenario or throws
// InputError; what it returned can be built, which may find the start inside an obstacle
// (InputError again).
//
// The input is s.toml, a.toml, b.toml, t.csv, one `--set` a line, o.csv and p.csv, see split().

#include "coluber/scenario/scenario.hpp"

#include <algorithm>
#include <utility>

#include "coluber/chain/robot.hpp"
#include "coluber/core/error.hpp"
#include "coluber/drive/joints.hpp"
#include "coluber/simulation/simulation.hpp"

#include "input.hpp"
#include "mutate.hpp"

namespace {

using namespace coluber;

scenario::Overrides lines(std::string_view text) {
  scenario::Overrides out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

constexpr const char* odd_values[] = {
    "nan",        "inf",   "-inf",  "0",  "-1",        "1e308", "1e-308",   "9223372036854775807",
    "true",       "\"\"",  "[]",    "{}", "[1, 2, 3]", "[[]]",  "\"aiko\"", "\"table\"",
    "1979-05-27", "\"é\"", "100000"};

/// The line with another value: behind `=`, or in one of the cells of a table.
std::string change_value(const std::string& line, std::minstd_rand& generator) {
  const std::string value = fuzz::pick(odd_values, generator);
  if (const std::size_t equals = line.find('='); equals != std::string::npos) {
    return line.substr(0, equals) + "= " + value;
  }
  if (line.find(',') == std::string::npos) return value;
  std::size_t begin = generator() % line.size();
  begin = line.rfind(',', begin);
  begin = begin == std::string::npos ? 0 : begin + 1;
  const std::size_t end = std::min(line.find(',', begin), line.size());
  return line.substr(0, begin) + value + line.substr(end);
}

/// Gives a line another value, moves it, doubles it or takes it away.
std::string change_lines(const std::string& text, std::minstd_rand& generator) {
  scenario::Overrides all = lines(text);
  if (all.empty()) return text;
  std::string& line = all[generator() % all.size()];
  switch (generator() % 6) {
    case 0:
      std::swap(line, all[generator() % all.size()]);
      break;
    case 1:
      line += '\n' + all[generator() % all.size()];
      break;
    case 2:
      line.clear();
      break;
    default:
      line = change_value(line, generator);
  }
  std::string out;
  for (const std::string& each : all) out += each + '\n';
  return out;
}

// Larger robots differ from these in the time they take alone.
constexpr std::size_t most_links = 32;

void build(const scenario::Scenario& scenario) {
  const auto* robot = scenario.find<chain::Robot>();
  if (robot != nullptr && robot->link.size() > most_links) return;
  const simulation::Simulation simulation = simulation::make_simulation(scenario);
  const auto* joints = dynamic_cast<const JointDriven*>(simulation.system.get());
  if (simulation.gait == nullptr || joints == nullptr) return;
  Eigen::VectorXd phi(joints->joint_count());
  Eigen::VectorXd rate(joints->joint_count());
  for (const double share : {0.0, 0.3, 1.0}) {
    simulation.gait->evaluate(share * scenario.duration, phi, rate);
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
  const auto part = [&](std::size_t i) -> std::optional<std::string_view> {
    if (i >= parts.size()) return std::nullopt;
    return parts[i];
  };
  folder.put("s.toml", part(0));
  folder.put("a.toml", part(1));
  folder.put("b.toml", part(2));
  folder.put("t.csv", part(3));
  folder.put("o.csv", part(5));
  folder.put("p.csv", part(6));
  try {
    build(scenario::load(folder.path() / "s.toml", lines(part(4).value_or(""))));
  } catch (const InputError&) {  // any other exception is a fault of ours
  }
  return 0;
}
