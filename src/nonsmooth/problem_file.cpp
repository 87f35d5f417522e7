#include "coluber/nonsmooth/problem_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "coluber/core/error.hpp"

namespace coluber::nonsmooth {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "coluber-contact-problem";
constexpr int kVersion = 3;  // 1 had neither shares_normal nor kind, 2 neither J nor p_J

template <typename Matrix>
json numbers(const Matrix& matrix) {
  return json(std::vector<double>(matrix.data(), matrix.data() + matrix.size()));
}

template <typename Matrix>
void read_numbers(const json& values, Matrix& matrix) {
  const auto list = values.get<std::vector<double>>();
  if (list.size() != static_cast<std::size_t>(matrix.size())) {
    throw FileError(fmt::format("{} numbers where {} are needed", list.size(), matrix.size()));
  }
  std::copy(list.begin(), list.end(), matrix.data());
}

}  // namespace

template <int T>
void save_problem(const std::filesystem::path& file, const SavedProblem<T>& saved) {
  json nodes = json::array();
  for (const Node<T>& node : saved.problem.nodes) {
    nodes.push_back({{"M", numbers(node.M)},
                     {"p", numbers(node.p)},
                     {"s", numbers(node.s)},
                     {"J", node.J},
                     {"p_J", node.p_J},
                     {"sd", node.sd},
                     {"sr", node.sr},
                     {"limit", std::isfinite(node.limit) ? json(node.limit) : json(nullptr)},
                     {"held", node.held},
                     {"parent", node.parent},
                     {"contacts", node.contact_count}});
  }
  json contacts = json::array();
  for (const Contact<T>& contact : saved.problem.contacts) {
    contacts.push_back({{"w_N", numbers(contact.w_N)},
                        {"w_1", numbers(contact.w_1)},
                        {"w_2", numbers(contact.w_2)},
                        {"A", numbers(contact.A)},
                        {"mu", numbers(contact.mu)},
                        {"b", contact.b},
                        {"c", contact.c},
                        {"c_t", contact.c_t},
                        {"mu_max", contact.mu_max},
                        {"load", contact.load},
                        {"unilateral", contact.unilateral},
                        {"shares_normal", contact.shares_normal},
                        {"kind", static_cast<int>(contact.kind)}});
  }
  json impulses = json::array();
  for (const Impulse& P : saved.previous.impulse) impulses.push_back({P.N, P.T.x(), P.T.y()});
  const json document{{"format", kFormat},
                      {"version", kVersion},
                      {"twist_size", T},
                      {"impulse_scale", saved.problem.impulse_scale},
                      {"length_scale", saved.problem.length_scale},
                      {"nodes", nodes},
                      {"contacts", contacts},
                      {"previous",
                       {{"root", numbers(saved.previous.root)},
                        {"rate", saved.previous.rate},
                        {"impulse", impulses}}}};
  // Under another name first: whoever finds the file finds all of it.
  std::filesystem::path partial = file;
  partial += ".part";
  std::ofstream out(partial);
  out << document.dump(1) << '\n';
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(partial, file, error);
  if (!out || error) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw FileError(fmt::format("cannot write {}", file.string()));
  }
}

template <int T>
SavedProblem<T> load_problem(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw FileError(fmt::format("cannot read {}", file.string()));
  SavedProblem<T> saved;
  try {
    const json document = json::parse(in);
    if (document.at("format") != kFormat || document.at("twist_size") != T) {
      throw FileError(fmt::format("not a contact problem of twist size {}", T));
    }
    if (const int version = document.at("version"); version < 1 || version > kVersion) {
      throw FileError(fmt::format("a contact problem of version {}", version));
    }
    saved.problem.impulse_scale = document.at("impulse_scale");
    saved.problem.length_scale = document.at("length_scale");
    int first = 0;
    const auto count = static_cast<int>(document.at("nodes").size());
    if (count == 0) throw FileError("no nodes");
    for (const json& entry : document.at("nodes")) {
      Node<T> node;
      read_numbers(entry.at("M"), node.M);
      read_numbers(entry.at("p"), node.p);
      read_numbers(entry.at("s"), node.s);
      node.J = entry.value("J", 0.0);
      node.p_J = entry.value("p_J", 0.0);
      if (!(node.J >= 0.0)) throw FileError("a joint needs J >= 0");
      node.sd = entry.at("sd");
      node.sr = entry.at("sr");
      if (entry.contains("limit") && !entry.at("limit").is_null()) node.limit = entry.at("limit");
      node.held = entry.value("held", false);
      node.parent = entry.at("parent");
      node.first_contact = first;
      node.contact_count = entry.at("contacts");
      first += node.contact_count;
      const auto index = static_cast<int>(saved.problem.nodes.size());
      const bool root = index + 1 == count;
      if (node.contact_count < 0 || (!root && (node.parent <= index || node.parent >= count))) {
        throw FileError(fmt::format("node {}: a parent must follow its child", index));
      }
      saved.problem.nodes.push_back(node);
    }
    for (const json& entry : document.at("contacts")) {
      Contact<T> contact;
      read_numbers(entry.at("w_N"), contact.w_N);
      read_numbers(entry.at("w_1"), contact.w_1);
      read_numbers(entry.at("w_2"), contact.w_2);
      read_numbers(entry.at("A"), contact.A);
      read_numbers(entry.at("mu"), contact.mu);
      contact.mu_max = entry.value("mu_max", contact.mu.maxCoeff());
      contact.b = entry.at("b");
      contact.c = entry.at("c");
      contact.c_t = entry.at("c_t");
      contact.load = entry.at("load");
      contact.unilateral = entry.at("unilateral");
      contact.shares_normal = entry.value("shares_normal", false);
      const int kind = entry.value("kind", static_cast<int>(ContactKind::obstacle));
      if (kind < 0 || kind > static_cast<int>(ContactKind::obstacle)) {
        throw FileError(fmt::format("a contact of kind {}", kind));
      }
      contact.kind = static_cast<ContactKind>(kind);
      // c = 0 is the thesis' own law, which solve_thesis() alone takes
      if ((contact.unilateral && !(contact.c >= 0.0)) ||
          (contact.mu_max > 0.0 && !(contact.c_t > 0.0))) {
        throw FileError("a contact needs c >= 0 and, with friction, c_t > 0");
      }
      saved.problem.contacts.push_back(contact);
    }
    if (first != static_cast<int>(saved.problem.contacts.size())) {
      throw FileError(fmt::format("nodes claim {} contacts, the file has {}", first,
                                  saved.problem.contacts.size()));
    }
    for (const Node<T>& node : saved.problem.nodes) {
      if (node.contact_count > 0 &&
          saved.problem.contacts[static_cast<std::size_t>(node.first_contact)].shares_normal) {
        throw FileError("the first contact of a node has none before it to share a normal with");
      }
    }
    const json& previous = document.at("previous");
    saved.previous.resize(saved.problem.nodes.size(), saved.problem.contacts.size());
    read_numbers(previous.at("root"), saved.previous.root);
    saved.previous.rate = previous.at("rate").get<std::vector<double>>();
    if (saved.previous.rate.size() != saved.problem.nodes.size() ||
        previous.at("impulse").size() != saved.problem.contacts.size()) {
      throw FileError("previous: wrong number of rates or impulses");
    }
    for (std::size_t k = 0; k < saved.previous.impulse.size(); ++k) {
      const json& P = previous.at("impulse").at(k);
      saved.previous.impulse[k].N = P.at(0);
      saved.previous.impulse[k].T << P.at(1).get<double>(), P.at(2).get<double>();
    }
  } catch (const json::exception& error) {
    throw FileError(fmt::format("{}: {}", file.string(), error.what()));
  } catch (const FileError& error) {
    throw FileError(fmt::format("{}: {}", file.string(), error.what()));
  }
  return saved;
}

template void save_problem<3>(const std::filesystem::path&, const SavedProblem<3>&);
template SavedProblem<3> load_problem<3>(const std::filesystem::path&);
template void save_problem<6>(const std::filesystem::path&, const SavedProblem<6>&);
template SavedProblem<6> load_problem<6>(const std::filesystem::path&);

}  // namespace coluber::nonsmooth
