#include "coluber/core/error.hpp"

#include <utility>

namespace coluber {

namespace {

std::string join(const std::vector<Diagnostic>& faults) {
  std::string text;
  for (const Diagnostic& fault : faults) {
    if (!text.empty()) text += '\n';
    text += to_string(fault);
  }
  return text;
}

}  // namespace

SourceLocation::~SourceLocation() = default;

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = "error: ";
  if (!diagnostic.where.file.empty()) {
    text += diagnostic.where.file;
    if (diagnostic.where.line > 0) {
      text += ':' + std::to_string(diagnostic.where.line);
      if (diagnostic.where.column > 0) text += ':' + std::to_string(diagnostic.where.column);
    }
    text += ": ";
  }
  if (!diagnostic.key.empty()) text += diagnostic.key + ": ";
  text += diagnostic.message;
  if (!diagnostic.hint.empty()) text += "\n  hint: " + diagnostic.hint;
  return text;
}

InputError::InputError(std::vector<Diagnostic> faults)
    : Error(join(faults)), faults_(std::move(faults)) {}

InputError::InputError(Diagnostic fault) : InputError(std::vector<Diagnostic>{std::move(fault)}) {}

}  // namespace coluber
