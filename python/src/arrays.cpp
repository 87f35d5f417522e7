#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace coluber::python {

namespace {

nb::capsule keep(const Buffer& buffer) {
  return nb::capsule(new Buffer(buffer), [](void* p) noexcept { delete static_cast<Buffer*>(p); });
}

std::string describe_object(nb::handle object) {
  if (object.is_none()) return "None";
  const nb::handle type = object.type();
  return nb::cast<std::string>(nb::str(type.attr("__name__")));
}

// float64, contiguous, one axis
nb::object as_float64(nb::handle object) {
  const nb::object numpy = nb::module_::import_("numpy");
  nb::object array =
      numpy.attr("ascontiguousarray")(object, nb::arg("dtype") = numpy.attr("float64"));
  return array;
}

}  // namespace

nb::object make_view(const Buffer& buffer, std::size_t offset, std::span<const std::size_t> shape,
                     bool writable) {
  const nb::capsule owner = keep(buffer);
  double* data = buffer->data() + offset;
  if (writable) {
    return nb::cast(nb::ndarray<nb::numpy, double>(data, shape.size(), shape.data(), owner));
  }
  return nb::cast(nb::ndarray<nb::numpy, const double>(data, shape.size(), shape.data(), owner));
}

nb::object make_array(std::vector<double>&& values, std::span<const std::size_t> shape) {
  const auto buffer = std::make_shared<std::vector<double>>(std::move(values));
  return make_view(buffer, 0, shape, true);
}

void ArrayReader::forget() {
  if (kept_ != nullptr) {
    kept_ = nullptr;
    PyBuffer_Release(&buffer_);
  }
}

bool ArrayReader::take(PyObject* object, Eigen::Index size) {
  forget();
  if (PyObject_CheckBuffer(object) == 0) return false;
  if (PyObject_GetBuffer(object, &buffer_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyErr_Clear();
    return false;
  }
  if (buffer_.ndim != 1 || buffer_.format == nullptr || std::strcmp(buffer_.format, "d") != 0 ||
      buffer_.shape[0] != size) {
    PyBuffer_Release(&buffer_);
    return false;
  }
  kept_ = object;
  return true;
}

void ArrayReader::read(nb::handle object, Eigen::Ref<Eigen::VectorXd> out, const char* what) {
  if (object.ptr() == kept_ || take(object.ptr(), out.size())) {
    const char* at = static_cast<const char*>(buffer_.buf);
    const Py_ssize_t stride = buffer_.strides[0];
    bool finite = true;
    for (Eigen::Index i = 0; i < out.size(); ++i, at += stride) {
      std::memcpy(&out(i), at, sizeof(double));
      finite = finite && std::isfinite(out(i));
    }
    if (finite) return;
  }
  const std::vector<double> values =
      read_numbers(object, static_cast<std::size_t>(out.size()), what);
  std::copy(values.begin(), values.end(), out.data());
}

std::vector<double> read_numbers(nb::handle object, std::size_t size, const char* what) {
  if (object.is_none()) {
    refuse("", fmt::format("{}: expected {} numbers, got None", what, size),
           "does the function end without a return?");
  }
  nb::object array;
  try {
    array = as_float64(object);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
    refuse("", fmt::format("{}: expected {} numbers, got {}", what, size, describe_object(object)));
  }
  const auto shape = nb::cast<nb::tuple>(array.attr("shape"));
  if (shape.size() != 1) {
    refuse("", fmt::format("{}: expected {} numbers, got an array of shape {}", what, size,
                           nb::cast<std::string>(nb::str(shape))));
  }
  const auto given = nb::cast<std::size_t>(shape[0]);
  if (given != size) {
    refuse("", fmt::format("{}: expected {} numbers, got {}", what, size, given));
  }
  const auto numbers = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig>>(array);
  std::vector<double> values(numbers.data(), numbers.data() + size);
  for (std::size_t i = 0; i < size; ++i) {
    if (!std::isfinite(values[i])) {
      refuse("", fmt::format("{}: number {} of {} is {}", what, i + 1, size, values[i]));
    }
  }
  return values;
}

}  // namespace coluber::python
