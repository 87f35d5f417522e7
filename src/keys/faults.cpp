#include "keys/faults.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "keys/limits.hpp"

namespace coluber::keys {

void Faults::add(const Place& where, std::string key, std::string message, std::string hint) {
  faults_.push_back({where,
                     faults_.size(),
                     {.where = {},
                      .key = std::move(key),
                      .message = std::move(message),
                      .hint = std::move(hint)}});
}

void Faults::raise(const std::vector<Source>& sources) {
  if (faults_.empty()) return;
  // std::stable_sort of libstdc++ 12 makes clang warn; the order of discovery breaks ties instead
  std::sort(faults_.begin(), faults_.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.where.source, a.where.line, a.where.column, a.found) <
           std::tie(b.where.source, b.where.line, b.where.column, b.found);
  });
  std::vector<Diagnostic> diagnostics;
  for (Fault& fault : faults_) {
    if (diagnostics.size() == limits::faults) {
      Diagnostic rest;
      rest.where.file = sources.front().name;
      rest.message = fmt::format("and {} more faults", faults_.size() - limits::faults);
      rest.hint = "mend the first ones; they may be the cause of the others";
      diagnostics.push_back(std::move(rest));
      break;
    }
    fault.diagnostic.where = to_location(fault.where, sources);
    diagnostics.push_back(std::move(fault.diagnostic));
  }
  throw InputError(std::move(diagnostics));
}

}  // namespace coluber::keys
