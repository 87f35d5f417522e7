#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "coluber/keys/node.hpp"
#include "coluber/scenario/scenario.hpp"

#include "keys/faults.hpp"

namespace coluber::scenario {

using keys::Faults;
using keys::Node;
using keys::Place;
using keys::Source;

/// All values a scenario has after includes and overrides, not validated yet.
struct Document {
  Node root;
  std::vector<Source> sources;  ///< [0] is the scenario itself
  std::string text;             ///< of the scenario itself
};

/// Reads `file` and what it includes. Throws InputError for files that cannot be read, the first
/// syntax error and include cycles. Faulty overrides go to `faults`.
Document read_document(const std::filesystem::path& file, const Overrides& overrides,
                       Faults& faults);

/// The same for text that is in no file.
Document parse_document(const std::string& text, const std::string& name,
                        const std::filesystem::path& folder, const Overrides& overrides,
                        Faults& faults);

/// Lays overrides on a document that was read without them. Faulty ones go to `faults`.
void apply_overrides(Document& document, const Overrides& overrides, Faults& faults);

/// Lays a value on a document as `--set` does, down a dotted key: tables that are not there yet
/// appear, list entries must exist, in the document or in its catalogue robot.
void apply_value(Document& document, const std::string& key, Node value, const Place& where,
                 Faults& faults);

/// The tree of a text of ours, such as a robot of the catalogue. Throws InputError.
Node parse_node(const std::string& text, const std::string& name);

}  // namespace coluber::scenario
