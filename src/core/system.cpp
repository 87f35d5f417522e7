#include "coluber/core/system.hpp"

namespace coluber {

bool System::save_state(ByteWriter& /*bytes*/) const { return false; }

void System::restore_state(ByteReader& bytes) { bytes.refuse("this model keeps no checkpoints"); }

int frame_size(const std::vector<Observable>& observables) {
  int size = 0;
  for (const Observable& observable : observables) size += observable.size();
  return size;
}

std::string System::dump_hardest_problem(const std::filesystem::path&) const { return ""; }

}  // namespace coluber
