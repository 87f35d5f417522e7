#pragma once

#include <filesystem>
#include <string>

#include "coluber/core/bytes.hpp"
#include "coluber/core/export.hpp"
#include "coluber/nonsmooth/problem_file.hpp"
#include "coluber/nonsmooth/step_info.hpp"

namespace coluber::nonsmooth {

/// The contact problem of the hardest step of a run: one that was not solved, else the one with
/// most sweeps. Kept on request, over checkpoints too.
template <int T>
class COLUBER_EXPORT HardestProblem {
 public:
  /// Keeps nothing unless `wanted`.
  explicit HardestProblem(bool wanted = false) : wanted_(wanted) {}

  /// Whether problems are to be shown to it.
  [[nodiscard]] bool wanted() const { return wanted_; }
  /// The problem of the step to time t (s), before it is solved: `guess` has its first impulses,
  /// `previous` the velocities it starts from.
  void look_at(const ContactProblem<T>& problem, const Solution<T>& previous,
               const Solution<T>& guess, double t);
  /// How that step came out; it is kept if none was harder.
  void judge(const ContactStepInfo& info);

  /// Writes the problem kept. Returns what is in the file, in words; "" if there is none. Throws
  /// FileError.
  [[nodiscard]] std::string dump(const std::filesystem::path& file) const;

  /// To a checkpoint.
  void save(ByteWriter& bytes) const;
  /// From a checkpoint. Throws FileError where the bytes make no sense.
  void load(ByteReader& bytes);

 private:
  struct Step {
    SavedProblem<T> saved;
    ContactStepInfo info;
    double t = 0.0;  // end of the step; 0: none
  };
  template <typename Bytes, typename Value>
  static void exchange(Bytes& bytes, Value& step);

  bool wanted_;
  Step hardest_, candidate_;
};

extern template class HardestProblem<3>;
extern template class HardestProblem<6>;

}  // namespace coluber::nonsmooth
