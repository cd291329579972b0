// The one table from ErrorCode to the classes of cosyvoice/errors.py.
#include "python/bindings.h"

#include <array>

#include "cosyvoice/engine.h"

namespace nb = nanobind;

namespace cosyvoice::python {
namespace {

struct Row {
  ErrorCode code;
  const char* name;
};

constexpr std::array<Row, 14> kRows = {{
    {ErrorCode::kInvalidArgument, "InvalidArgument"},
    {ErrorCode::kInvalidAudio, "InvalidAudio"},
    {ErrorCode::kModelNotFound, "ModelNotFound"},
    {ErrorCode::kInvalidModel, "InvalidModel"},
    {ErrorCode::kInvalidConfig, "InvalidConfig"},
    {ErrorCode::kEngineFull, "EngineFull"},
    {ErrorCode::kEngineClosed, "EngineClosed"},
    {ErrorCode::kEngineForked, "EngineForked"},
    {ErrorCode::kUnknownSession, "UnknownSession"},
    {ErrorCode::kSessionFinished, "SessionFinished"},
    {ErrorCode::kBufferFull, "BufferFull"},
    {ErrorCode::kConcurrentFeed, "ConcurrentFeed"},
    {ErrorCode::kInferenceFailed, "InferenceFailed"},
    {ErrorCode::kInternal, "InternalError"},
}};

/// The Python class of each row, kept for the life of the process.
std::array<PyObject*, kRows.size()> classes{};

void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    std::size_t row = kRows.size() - 1;
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      if (kRows[i].code == error.code()) row = i;
    }
    PyErr_SetString(classes[row], error.what());
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  const nb::module_ errors = nb::module_::import_("cosyvoice.errors");
  for (std::size_t i = 0; i < kRows.size(); ++i) classes[i] = nb::object(errors.attr(kRows[i].name)).release().ptr();
  nb::register_exception_translator(translate);
  module.def(
      "error_classes",
      [] {
        nb::dict names;
        for (const Row& row : kRows) names[to_string(row.code)] = row.name;
        return names;
      },
      nb::sig("def error_classes() -> dict[str, str]"),
      "The code of each error, as in error events, and the name of its class.");
}

}  // namespace cosyvoice::python
