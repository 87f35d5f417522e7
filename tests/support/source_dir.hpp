#pragma once

// Included before every test (tests/CMakeLists.txt). Where the sources are is compiled into
// source_dir.cpp alone: the objects of all other tests are the same in every clone, so that ccache
// has them.

namespace coluber::test {

/// The folder of the sources, absolute.
const char* source_dir();

}  // namespace coluber::test

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): the benchmarks, which use some of the same
// samples, have it from their command line
#define COLUBER_SOURCE_DIR coluber::test::source_dir()
