#pragma once

#include <filesystem>

#include "coluber/core/export.hpp"
#include "coluber/nonsmooth/contact_problem.hpp"

namespace coluber::nonsmooth {

/// A problem with the velocities and impulses at the start of its step: all a solver is given.
template <int T>
struct SavedProblem {
  ContactProblem<T> problem;
  Solution<T> previous;
};

/// JSON with every number to the bit; appears by rename. Throws FileError.
template <int T>
COLUBER_EXPORT void save_problem(const std::filesystem::path& file, const SavedProblem<T>& saved);

/// Throws FileError if the file is missing, damaged or for another twist size.
template <int T>
COLUBER_EXPORT SavedProblem<T> load_problem(const std::filesystem::path& file);

extern template void save_problem<3>(const std::filesystem::path&, const SavedProblem<3>&);
extern template SavedProblem<3> load_problem<3>(const std::filesystem::path&);
extern template void save_problem<6>(const std::filesystem::path&, const SavedProblem<6>&);
extern template SavedProblem<6> load_problem<6>(const std::filesystem::path&);

}  // namespace coluber::nonsmooth
