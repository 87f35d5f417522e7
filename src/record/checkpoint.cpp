#include "coluber/record/checkpoint.hpp"

#include <fmt/format.h>

#include "coluber/core/bytes.hpp"
#include "coluber/core/code_path.hpp"
#include "coluber/core/version.hpp"

namespace coluber::record {

namespace {

constexpr std::string_view checkpoint_kind = "checkpoint";
constexpr std::uint32_t version = 1;

template <typename Bytes, typename Value>
void exchange(Bytes& bytes, Value& checkpoint) {
  auto& [program, scenario_hash, frames, state] = checkpoint;
  bytes(program, scenario_hash, frames, state);
}

}  // namespace

std::string to_bytes(const Checkpoint& checkpoint) {
  ByteWriter bytes;
  exchange(bytes, checkpoint);
  return seal(checkpoint_kind, version, bytes.bytes());
}

Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name) {
  ByteReader reader(unseal(checkpoint_kind, version, bytes, name), name);
  Checkpoint checkpoint;
  exchange(reader, checkpoint);
  reader.finish();
  return checkpoint;
}

std::string program_identity() {
  const BuildInfo& build = build_info();
  return fmt::format("{}{}, {}", build.version,
                     build.revision.empty() ? std::string() : fmt::format(" ({})", build.revision),
                     code_path());
}

}  // namespace coluber::record
