#pragma once

#include "coluber/core/export.hpp"

/// The command line as a library. A program of your own registers its components, then hands over:
///
///     int main(int argc, char** argv) {
///       coluber::simulation::add_model({…});
///       return coluber::cli::main(argc, argv);
///     }
///
/// It then has check, run, plot, view, export, bench and resume for them (examples/own_model).
/// Link coluber::cli.
namespace coluber::cli {

/// Does what the command line asks for and returns the exit code: 0 done, 1 the run or a claim
/// failed, 2 wrong usage, 3 bad input, 130 interrupted. Results go to stdout, messages to stderr.
/// Throws nothing. To be called once, from the main thread: it catches SIGINT and SIGTERM while a
/// run lasts.
COLUBER_EXPORT int main(int argc, char** argv);

}  // namespace coluber::cli
