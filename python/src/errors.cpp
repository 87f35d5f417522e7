// Exceptions of the library as those of coluber.errors.
#include <exception>

#include "coluber/core/error.hpp"
#include "coluber/record/give_up.hpp"
#include "coluber/record/run_folder.hpp"

#include "bind.hpp"

namespace coluber::python {

namespace {

// Imported only now: the module must load by itself, without the package.
nb::object error_class(const char* name) {
  return nb::module_::import_("coluber.errors").attr(name);
}

void raise(const char* name, std::string_view message) {
  const nb::object type = error_class(name);
  const nb::object value = type(to_python(message));
  PyErr_SetObject(type.ptr(), value.ptr());
}

void raise_input_error(const std::vector<Diagnostic>& faults) {
  nb::list rows;
  for (const Diagnostic& fault : faults) {
    rows.append(nb::make_tuple(to_python(fault.where.file), fault.where.line, fault.where.column,
                               to_python(fault.key), to_python(fault.message),
                               to_python(fault.hint)));
  }
  const nb::object type = error_class("InputError");
  const nb::object value = type.attr("of")(rows);
  PyErr_SetObject(type.ptr(), value.ptr());
}

// The order matters: from the derived to the base.
void translate(const std::exception_ptr& pointer, void* /*unused*/) {
  try {
    try {
      std::rethrow_exception(pointer);
    } catch (const InputError& error) {
      raise_input_error(error.faults());
    } catch (const record::FolderExists& error) {
      raise("FolderExists", std::string(error.what()) + "\n  hint: " + error.hint());
    } catch (const record::FolderBusy& error) {
      raise("FolderBusy", error.what());
    } catch (const record::RunEnded& error) {
      raise("RunEnded", error.what());
    } catch (const FileError& error) {
      raise("FileError", error.what());
    } catch (const Error& error) {
      raise("Error", error.what());
    } catch (const std::filesystem::filesystem_error& error) {
      raise("FileError", error.what());
    }
  } catch (nb::python_error& error) {
    error.restore();  // raised while translating
  }
}

}  // namespace

void refuse(const std::string& key, const std::string& message, const std::string& hint) {
  throw InputError(Diagnostic{.where = {}, .key = key, .message = message, .hint = hint});
}

void bind_errors(nb::module_& /*m*/) { nb::register_exception_translator(translate); }

}  // namespace coluber::python
