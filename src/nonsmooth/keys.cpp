#include "coluber/nonsmooth/keys.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "coluber/keys/check.hpp"

#include "thesis_factor.hpp"

namespace coluber::nonsmooth {

namespace {

/// [solver.thesis] says nothing to the other solvers. Scenarios that are run with several of them
/// set it all the same.
void check_solver(SolverKeys& solver, keys::Check& check) {
  if (solver.name == Solver::thesis || !check.is_sound("solver.name")) return;
  const keys::Node* given = check.find("solver.thesis");
  if (given == nullptr || !given->is_table()) return;
  std::vector<std::string> idle;
  for (const auto& [word, value] : given->fields) {
    std::string key = "solver.thesis." + word;
    if (check.is_changed(key)) idle.push_back(std::move(key));
  }
  if (idle.empty()) return;
  check.warn(idle.front(),
             fmt::format("{}: no effect, solver.name is \"{}\" and these go with \"thesis\"",
                         fmt::join(idle, ", "),
                         solver.name == Solver::newton ? "newton" : "gauss_seidel"));
}

}  // namespace

const keys::Section& solver_keys() {
  static const keys::Section section =
      keys::Table<SolverKeys>("solver")
          .row(
              {.name = "name",
               .choices = {{"newton", "semi-smooth Newton, one sweep over the chain per iteration"},
                           {"gauss_seidel", "block Gauss-Seidel: a second route, slow"},
                           {"thesis", "modified Newton iteration of Transeth, Algorithm 3.1"}},
               .doc = "how the contact problem of a step is solved",
               .example = "\"newton\""},
              &SolverKeys::name)
          .row({.name = "law",
                .choices = {{"anchored", "set-valued law with anchors, unique forces"},
                            {"rigid", "set-valued law as it stands"}},
                .doc = "contact law",
                .example = "\"anchored\""},
               &SolverKeys::law)
          .row({.name = "activation",
                .choices = {{"landing", "contacts that would close within the step count"},
                            {"gap", "closed contacts only, as in the thesis"}},
                .doc = "which contacts enter a step",
                .example = "\"landing\""},
               &SolverKeys::activation)
          .row({.name = "tolerance",
                .min = 1e-15,
                .max = 1e-2,
                .doc =
                    "largest scaled residual of a solved step; 1 is the lightest link's weight "
                    "over one step; solvers aim at 1e-12 where world.friction has a ratio above 10",
                .example = "1e-10"},
               &SolverKeys::tolerance)
          .row({.name = "dump",
                .default_note = "none",
                .doc = "file for the contact problem of the hardest step: one that was not solved, "
                       "else the one with most sweeps; relative to where the program runs, in a "
                       "folder that exists; written by rename when the run ends, and kept over "
                       "--resume",
                .example = "\"problem.json\"",
                .written = true},
               &SolverKeys::dump)
          .row(thesis_factor("thesis.r_T", "ground friction", "1.3"),
               [](auto& solver) -> auto& { return solver.thesis.r_T; })
          .row(thesis_factor("thesis.r_H", "obstacle contact", "0.01"),
               [](auto& solver) -> auto& { return solver.thesis.r_H; })
          .row({.name = "thesis.epsilon",
                .unit = "N s",
                .min = 0,
                .max = 1,
                .above_min = true,
                .doc = "change of the impulses at which the iteration ends, Transeth Table 7.2; "
                       "for name = \"thesis\" only",
                .example = "2e-5"},
               [](auto& solver) -> auto& { return solver.thesis.epsilon; })
          .row({.name = "thesis.max_iterations",
                .min = 1,
                .max = 1e6,
                .doc = "most iterations in a step, for the end of which Ctrl-C waits; for name = "
                       "\"thesis\" only",
                .example = "10000"},
               [](auto& solver) -> auto& { return solver.thesis.max_iterations; })
          .check(check_solver);
  return section;
}

}  // namespace coluber::nonsmooth
