#include "coluber/record/run_state.hpp"

#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"

#include "record/frame_file.hpp"
#include "record/refuse.hpp"

namespace coluber::record {

namespace fs = std::filesystem;

void refuse(const fs::path& file, std::string message, std::string hint) {
  Diagnostic fault;
  fault.where.file = file.string();
  fault.message = std::move(message);
  fault.hint = std::move(hint);
  throw InputError(fault);
}

void require_run_folder(const fs::path& run_folder) {
  std::error_code error;
  if (!fs::is_directory(run_folder, error)) {
    refuse(run_folder, "is not a run folder", "name the folder that `coluber run` wrote");
  }
  for (const char* file : {"run.json", "trajectory.h5", "frames.bin", "replay.json"}) {
    if (fs::exists(run_folder / file, error)) return;
  }
  refuse(run_folder, "is not a run folder: there is neither run.json nor trajectory.h5 in it",
         "name the folder that `coluber run` wrote");
}

std::string load_run_file(const fs::path& file, const GiveUp& give_up) {
  std::error_code error;
  std::ifstream in(file, std::ios::binary);
  if (!in || !fs::is_regular_file(file, error)) {
    refuse(file, "cannot be read", "name a folder that `coluber run` wrote and completed");
  }
  std::string bytes;
  std::vector<char> part(std::size_t{1} << 20U);
  while (in) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    bytes.append(part.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > never_given_up) check_given_up(give_up);
  }
  if (in.bad()) throw FileError(fmt::format("{}: cannot be read to its end", file.string()));
  return bytes;
}

std::string load_run_json(const fs::path& run_folder) {
  const fs::path file = run_folder / "run.json";
  std::error_code error;
  if (!fs::exists(file, error)) {
    refuse(file, "cannot be read: no such file",
           "`coluber plot` and `coluber export --to csv` do without it, a page does not");
  }
  std::string text = load_run_file(file);
  if (!is_shallow(text)) refuse(file, "is nested too deeply", damaged_run_hint);
  if (!nlohmann::json::parse(text, nullptr, false).is_object()) {
    refuse(file, "is not a JSON object", damaged_run_hint);
  }
  return text;
}

namespace {

std::string study_of(const nlohmann::json& run) {
  const auto options = run.is_object() ? run.find("options") : run.end();
  if (options == run.end() || !options->is_object()) return "";
  const auto study = options->find("study");
  if (study == options->end() || !study->is_array() || study->empty()) return "";
  const nlohmann::json& name = study->front();
  return name.is_string() ? name.get<std::string>() : "";
}

}  // namespace

RunState load_run_state(const fs::path& run_folder) {
  std::ifstream in(run_folder / "run.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!is_shallow(text)) return {};
  const nlohmann::json run = nlohmann::json::parse(text, nullptr, false);
  const auto word = [&](const char* key) {
    const auto found = run.is_object() ? run.find(key) : run.end();
    return found != run.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  return {word("status"), word("message"), study_of(run)};
}

}  // namespace coluber::record
