#include "coluber/core/system.hpp"

#include "coluber/core/error.hpp"

namespace coluber {

const std::vector<StepFigure>& System::figures() const {
  static const std::vector<StepFigure> none;
  return none;
}

std::string System::advice(const StepInfo& /*info*/) const { return ""; }

std::string System::dump_hardest_problem(const std::filesystem::path& /*file*/) const { return ""; }

bool System::save_state(ByteWriter& /*bytes*/) const { return false; }

void System::restore_state(ByteReader& bytes) { bytes.refuse("this model keeps no checkpoints"); }

}  // namespace coluber
