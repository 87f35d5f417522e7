#pragma once

#include "coluber/qp/qp.hpp"

/// At the start of a test that solves quadratic programs.
#define NEEDS_DAQP() \
  if (!coluber::qp::available()) GTEST_SKIP() << "built without DAQP"
