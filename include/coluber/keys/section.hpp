#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "coluber/core/export.hpp"
#include "coluber/keys/binding.hpp"
#include "coluber/keys/key.hpp"

/// A component (model, gait, controller, path, force law …) owns its keys: an options struct in
/// its folder and one Section that describes each key once, name, type, unit, range, doc, example
/// and binding in the same row. The default is what the struct has.
///
///     struct DragOptions { double c = 1.0; std::vector<Fin> fins; };  // N s/m
///
///     const keys::Section& drag_keys() {
///       static const keys::Section section = keys::Table<DragOptions>("world.drag")
///           .row({.name = "c", .unit = "N s/m", .min = 0, .doc = "drag", .example = "1.0"},
///                &DragOptions::c)
///           .list({.name = "fin", .noun = "a fin"}, &DragOptions::fins, fin_table())
///           .check(check_drag);
///       return section;
///     }
namespace coluber::keys {

class Check;

/// How tables below a table are written.
enum class Form : std::uint8_t {
  list,         ///< [[world.obstacle]], once per entry
  one_for_all,  ///< [[robot.link]] once per entry, or one table that stands for every entry
  optional,     ///< [stiffness], a table that may be absent
};

/// What a list of tables, or a table that may be absent, is.
struct ListInfo {
  std::string name{};  ///< "obstacle" below the section's table
  Form form = Form::list;
  std::string noun{};     ///< of one entry, with its article: "an obstacle"
  std::string example{};  ///< of one entry: "x = 0.5, y = 0.1, radius = 0.02, in m"
  std::string hint{};     ///< how to write it, where it is written in another way
};

/// One key and its place in the options struct.
struct Row {
  Key key{};
  /// Reads a valid value into the struct.
  std::function<void(void* options, const Node& value, const ReadContext&)> read{};
  /// The struct's value as a file would hold it.
  std::function<Node(const void* options)> write{};
};

class Section;

/// A list of tables and its place in the options struct.
struct ListRow {
  ListInfo info{};
  std::string name{};                     ///< full: "world.obstacle"
  std::shared_ptr<const Section> item{};  ///< the rows of one entry, with full names
  std::function<void(void* options, const Node& list, const Section& item, const ReadContext&)>
      read{};
  std::function<Node(const void* options, const Section& item)> write{};
};

/// Rows of one options struct, types erased.
class COLUBER_EXPORT Section {
 public:
  /// The rows, with full names.
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// The lists of tables.
  [[nodiscard]] const std::vector<ListRow>& lists() const { return lists_; }
  /// The options struct.
  [[nodiscard]] std::type_index type() const { return type_; }
  /// The struct as it is by default.
  [[nodiscard]] std::any make() const { return make_(); }
  /// Its address inside what make() gave.
  [[nodiscard]] void* address(std::any& options) const { return address_(options); }
  /// The same, to read only.
  [[nodiscard]] const void* address(const std::any& options) const {
    return address_(const_cast<std::any&>(options));  // NOLINT: read only
  }
  /// Checks what takes more than one key, and fills in what follows from others.
  void check(std::any& options, Check& context) const {
    if (check_) check_(address_(options), context);
  }
  /// Reads the keys of this section into `options`: the file's where it has a valid one, else a
  /// component's default, else nothing.
  void read(void* options, const Node& root, const ReadContext& context) const;
  /// Writes every key into `root`.
  void write(const void* options, Node& root) const;

  /// The same rows as those of one entry of a list: their names are full ones below `list`, and
  /// read() and write() take the entry for `root`.
  [[nodiscard]] Section below(const std::string& list) const;

 private:
  template <typename T>
  friend class Table;
  explicit Section(std::type_index type) : type_(type) {}

  std::type_index type_;
  std::string prefix_;  // of an entry of a list: the list's name
  std::vector<Row> rows_;
  std::vector<ListRow> lists_;
  std::function<std::any()> make_;
  std::function<void*(std::any&)> address_;
  std::function<void(void*, Check&)> check_;
};

/// Describes the keys of the options struct T, below one table of the file.
template <typename T>
class Table {
 public:
  /// `table` is "solver", "world.drag"; "" for keys with full names of their own.
  explicit Table(std::string table) : table_(std::move(table)), section_(typeid(T)) {
    section_.make_ = [] { return std::any(T{}); };
    section_.address_ = [](std::any& options) -> void* { return std::any_cast<T>(&options); };
  }

  /// A key. `member` is a member of T, or a function that gives a reference into one. The type of
  /// the key is that of the member; a text with choices is a word.
  template <typename Member>
  Table& row(Key key, Member member) {
    using Value = std::remove_cvref_t<std::invoke_result_t<Member, T&>>;
    key.name = joined(table_, key.name);
    key.type = Binding<Value>::type(key);
    if constexpr (fixed_count<Value> > 0) key.count = fixed_count<Value>;
    const T defaults{};
    if (key.required) {
      key.default_note = "must be given";
    } else if (key.from_catalogue) {
      key.default_note = "the catalogue robot's";
    } else {
      key.default_value = to_key_value(Binding<Value>::write(std::invoke(member, defaults), key));
    }
    Row row;
    row.read = [member, key](void* options, const Node& value, const ReadContext& context) {
      std::invoke(member, *static_cast<T*>(options)) = Binding<Value>::read(value, key, context);
    };
    row.write = [member, key](const void* options) {
      return Binding<Value>::write(std::invoke(member, *static_cast<const T*>(options)), key);
    };
    row.key = std::move(key);
    section_.rows_.push_back(std::move(row));
    return *this;
  }

  /// Tables below this one: a std::vector<Item>, or for Form::optional a std::optional<Item>.
  template <typename Item, typename Member>
  Table& list(ListInfo info, Member member, const Table<Item>& item) {
    ListRow row;
    row.name = joined(table_, info.name);
    row.item = std::make_shared<const Section>(Section(item).below(row.name));
    row.read = [member](void* options, const Node& list, const Section& rows,
                        const ReadContext& context) {
      auto& entries = std::invoke(member, *static_cast<T*>(options));
      entries = {};
      const auto add = [&](const Node& node) {
        Item entry{};
        rows.read(&entry, node, context);
        if constexpr (requires { entries.push_back(std::move(entry)); }) {
          entries.push_back(std::move(entry));
        } else {
          entries = std::move(entry);
        }
      };
      if (list.is_array()) {
        for (const Node& node : list.items) add(node);
      } else {
        add(list);
      }
    };
    row.write = [member](const void* options, const Section& rows) {
      const auto& entries = std::invoke(member, *static_cast<const T*>(options));
      const auto as_node = [&](const Item& entry) {
        Node node;
        rows.write(&entry, node);
        return node;
      };
      if constexpr (requires { entries.begin(); }) {
        Node list;
        list.kind = Node::Kind::array;
        for (const Item& entry : entries) list.items.push_back(as_node(entry));
        return list;
      } else {
        return entries ? as_node(*entries) : make_none();
      }
    };
    row.info = std::move(info);
    section_.lists_.push_back(std::move(row));
    return *this;
  }

  /// Called when all keys are read.
  Table& check(void (*function)(T&, Check&)) {
    section_.check_ = [function](void* options, Check& context) {
      function(*static_cast<T*>(options), context);
    };
    return *this;
  }

  /// The finished section, types erased.
  operator Section() const { return section_; }  // NOLINT(google-explicit-constructor)

 private:
  std::string table_;
  Section section_;
};

}  // namespace coluber::keys
