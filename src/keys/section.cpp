#include "coluber/keys/section.hpp"

#include "coluber/keys/check.hpp"

namespace coluber::keys {

std::filesystem::path to_path(const Node& node, const Key& key, const ReadContext& context) {
  if (key.written || node.text.empty()) return node.text;
  const Source& source = context.sources.at(static_cast<std::size_t>(node.where.source));
  return (source.folder / std::filesystem::path(node.text)).lexically_normal();
}

namespace {

/// `name` as seen from an entry of the list `prefix`.
std::string_view seen_from(std::string_view name, const std::string& prefix) {
  return prefix.empty() ? name : name.substr(prefix.size() + 1);
}

}  // namespace

void Section::read(void* options, const Node& root, const ReadContext& context) const {
  for (const Row& row : rows_) {
    const Node* given = root.find_path(seen_from(row.key.name, prefix_));
    if (given != nullptr) {
      if (given->valid) row.read(options, *given, context);
    } else if (const auto found = context.defaults.find(row.key.name);
               found != context.defaults.end()) {
      row.read(options, found->second, context);
    }
  }
  for (const ListRow& list : lists_) {
    const Node* given = root.find_path(seen_from(list.name, prefix_));
    if (given != nullptr && given->valid && (given->is_table() || given->is_array())) {
      list.read(options, *given, *list.item, context);
      continue;
    }
    // none written, or refused: a catalogue's list, or the table that stands for all entries
    if (const auto found = context.defaults.find(list.name); found != context.defaults.end()) {
      list.read(options, found->second, *list.item, context);
    } else if (list.info.form == Form::one_for_all) {
      list.read(options, Node{}, *list.item, context);
    }
  }
}

void Section::write(const void* options, Node& root) const {
  for (const Row& row : rows_) {
    root.at_path(seen_from(row.key.name, prefix_)) = row.write(options);
  }
  for (const ListRow& list : lists_) {
    Node written = list.write(options, *list.item);
    Node& place = root.at_path(seen_from(list.name, prefix_));
    // two sections may describe the entries of one list between them
    if (place.is_array() && written.is_array() && place.items.size() == written.items.size()) {
      for (std::size_t i = 0; i < written.items.size(); ++i) {
        merge(place.items[i], std::move(written.items[i]));
      }
    } else {
      place = std::move(written);
    }
  }
}

Section Section::below(const std::string& list) const {
  Section section = *this;
  section.prefix_ = prefix_.empty() ? list : joined(list, prefix_);
  for (Row& row : section.rows_) row.key.name = joined(list, row.key.name);
  for (ListRow& row : section.lists_) {
    row.name = joined(list, row.name);
    row.item = std::make_shared<const Section>(row.item->below(list));
  }
  return section;
}

std::any& OptionSet::of(const Section& section) {
  std::any& options = structs_[section.type()];
  if (!options.has_value()) options = section.make();
  return options;
}

}  // namespace coluber::keys
