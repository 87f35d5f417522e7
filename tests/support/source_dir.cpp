#include "support/source_dir.hpp"

namespace coluber::test {

const char* source_dir() { return COLUBER_SOURCE_FOLDER; }

}  // namespace coluber::test
