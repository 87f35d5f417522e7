#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "bind.hpp"

namespace coluber::python {

/// Numbers that NumPy sees: kept alive by every view of them.
using Buffer = std::shared_ptr<std::vector<double>>;

/// A NumPy array over `buffer` from `offset` on; nobody can write to it unless `writable`.
nb::object make_view(const Buffer& buffer, std::size_t offset, std::span<const std::size_t> shape,
                     bool writable);

/// A NumPy array that owns these numbers.
nb::object make_array(std::vector<double>&& values, std::span<const std::size_t> shape);

/// Reads arrays that Python code returns at every step. One that is returned again, the same
/// object, is looked at only once: its buffer is kept.
class ArrayReader {
 public:
  ArrayReader() = default;
  ArrayReader(const ArrayReader&) = delete;
  ArrayReader& operator=(const ArrayReader&) = delete;
  ~ArrayReader() { forget(); }

  /// Numbers of `object`, which must be `out.size()` finite ones; `what` begins a fault: "the
  /// gait's phi_d (rad)".
  void read(nb::handle object, Eigen::Ref<Eigen::VectorXd> out, const char* what);
  void forget();

 private:
  bool take(PyObject* object, Eigen::Index size);

  Py_buffer buffer_{};
  PyObject* kept_ = nullptr;  // the object whose buffer it is; borrowed from it
};

/// The same for a single object: any sequence of `size` finite numbers.
std::vector<double> read_numbers(nb::handle object, std::size_t size, const char* what);

}  // namespace coluber::python
