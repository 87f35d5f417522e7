#include "coluber/core/system.hpp"

#include "coluber/core/error.hpp"

namespace coluber {

bool System::base_state(BaseState& /*base*/) const { return false; }

StepInfo System::step_under(Feedback& /*feedback*/,
                            const Eigen::Ref<const Eigen::VectorXd>& /*phi_d*/) {
  throw Error("this model takes no feedback inside a step");
}

bool System::save_state(ByteWriter& /*bytes*/) const { return false; }

void System::restore_state(ByteReader& bytes) { bytes.refuse("this model keeps no checkpoints"); }

int frame_size(const std::vector<Observable>& observables) {
  int size = 0;
  for (const Observable& observable : observables) size += observable.size();
  return size;
}

std::string System::dump_hardest_problem(const std::filesystem::path&) const { return ""; }

}  // namespace coluber
