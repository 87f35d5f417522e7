#pragma once

#include "coluber/chain/path_start.hpp"
#include "coluber/keys/check.hpp"

namespace coluber::chain {

/// Why a robot that starts on its path takes no other place or posture.
inline const char* on_path_words(keys::Check& check) {
  return check.find_options<TrainStart>() != nullptr ? "the robot starts on its path, laid along it"
                                                     : "the robot starts on its path, straight";
}

}  // namespace coluber::chain
