#pragma once

namespace coluber::math {

inline constexpr double degree = 0.017453292519943295;  ///< rad

}  // namespace coluber::math
