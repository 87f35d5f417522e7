#include "coluber/nonsmooth/hardest_problem.hpp"

#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "exchange.hpp"

namespace coluber::nonsmooth {
namespace {

/// A problem that save_problem() can write and a solver read.
template <int T>
void require_problem(const ByteReader& bytes, const SavedProblem<T>& saved) {
  const auto& [problem, previous] = saved;
  std::size_t contacts = 0;
  for (const auto& node : problem.nodes) {
    if (node.contact_count < 0) bytes.refuse("the hardest problem makes no sense");
    contacts += static_cast<std::size_t>(node.contact_count);
  }
  if (contacts != problem.contacts.size() || previous.rate.size() != problem.nodes.size() ||
      previous.impulse.size() != contacts) {
    bytes.refuse("the hardest problem makes no sense");
  }
}

}  // namespace

template <int T>
void HardestProblem<T>::look_at(const ContactProblem<T>& problem, const Solution<T>& previous,
                                const Solution<T>& guess, double t) {
  candidate_.saved.problem = problem;
  candidate_.saved.previous = previous;
  candidate_.saved.previous.impulse = guess.impulse;
  candidate_.t = t;
}

template <int T>
void HardestProblem<T>::judge(const ContactStepInfo& info) {
  const auto rank = [](const ContactStepInfo& step) {
    return std::tuple{step.status != Status::ok, step.iterations, step.residual};
  };
  if (hardest_.t > 0.0 && rank(info) <= rank(hardest_.info)) return;
  candidate_.info = info;
  std::swap(hardest_, candidate_);
}

template <int T>
std::string HardestProblem<T>::dump(const std::filesystem::path& file) const {
  if (!(hardest_.t > 0.0)) return "";
  save_problem<T>(file, hardest_.saved);
  return fmt::format("the step to t = {:.6g} s: {}, {} sweeps, {} contacts", hardest_.t,
                     to_string(hardest_.info.status), hardest_.info.iterations,
                     hardest_.saved.problem.contacts.size());
}

template <int T>
template <typename Bytes, typename Value>
void HardestProblem<T>::exchange(Bytes& bytes, Value& step) {
  auto& [saved, info, t] = step;
  int status = static_cast<int>(info.status);
  bytes(t, status, info.iterations, info.residual);
  if constexpr (requires { bytes.finish(); }) {
    if (status < 0 || status > static_cast<int>(Status::non_finite)) {
      bytes.refuse("a step came out in no known way");
    }
    info.status = static_cast<Status>(status);
  }
  if (t > 0.0) exchange_problem(bytes, saved);
}

template <int T>
void HardestProblem<T>::save(ByteWriter& bytes) const {
  bytes(wanted_);
  if (wanted_) exchange(bytes, hardest_);
}

template <int T>
void HardestProblem<T>::load(ByteReader& bytes) {
  bool kept = false;
  bytes(kept);
  Step step;
  if (kept) {
    exchange(bytes, step);
    if (step.t > 0.0) require_problem(bytes, step.saved);
  }
  hardest_ = std::move(step);
}

template class HardestProblem<3>;
template class HardestProblem<6>;

}  // namespace coluber::nonsmooth
