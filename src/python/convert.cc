#include "python/convert.h"

#include <nanobind/stl/string.h>

#include <cstring>

namespace nb = nanobind;

namespace cosyvoice::python {
namespace {

std::string type_of(nb::handle object) {
  return nb::cast<std::string>(nb::handle(Py_TYPE(object.ptr())).attr("__name__"));
}

/// Python refuses to write numbers of more than some thousand digits.
std::string digits_of(nb::handle number) {
  const nb::object text = nb::steal(PyObject_Str(number.ptr()));
  if (text.is_valid()) return nb::cast<std::string>(text);
  PyErr_Clear();
  return "with a number of thousands of digits";
}

/// The letter of a format of one native-endian item, or 0.
char item_letter(const char* format) {
  if (format == nullptr) return 'B';
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  return std::strlen(format) == 1 ? *format : '\0';
}

[[noreturn]] void refuse(const std::string& what) {
  throw nb::type_error(
      (what + "; pass bytes in the session's encoding, or a one-channel C-contiguous int16 or float32 array").c_str());
}

}  // namespace

SessionId to_sid(nb::handle value) {
  if (!PyLong_Check(value.ptr()) || PyBool_Check(value.ptr())) {
    throw nb::type_error(("sid is of type " + type_of(value) + "; pass what new_session() returned").c_str());
  }
  const unsigned long long sid = PyLong_AsUnsignedLongLong(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw Error(ErrorCode::kUnknownSession, "no session " + digits_of(value) + "; pass what new_session() returned");
  }
  return sid;
}

PcmView::PcmView(nb::handle object) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) refuse("pcm is of type " + type_of(object));
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FULL_RO) != 0) nb::raise_python_error();
  std::string fault;
  const char letter = item_letter(view_.format);
  if (view_.itemsize == 1 && (letter == 'B' || letter == 'b' || letter == 'c')) {
    kind_ = Kind::kBytes;
  } else if (view_.itemsize == 2 && letter == 'h') {
    kind_ = Kind::kInt16;
  } else if (view_.itemsize == 4 && letter == 'f') {
    kind_ = Kind::kFloat32;
  } else {
    fault = std::string("pcm holds items of format '") + (view_.format == nullptr ? "B" : view_.format) + "'";
  }
  if (fault.empty() && PyBuffer_IsContiguous(&view_, 'C') == 0) fault = "pcm is not C-contiguous";
  for (int axis = 1; axis < view_.ndim && fault.empty(); ++axis) {
    if (view_.shape[axis] != 1)
      fault = "pcm has " + std::to_string(view_.shape[axis]) + " items in axis " + std::to_string(axis);
  }
  if (!fault.empty()) {
    PyBuffer_Release(&view_);
    refuse(fault);
  }
}

PcmView::~PcmView() {
  PyBuffer_Release(&view_);
}

}  // namespace cosyvoice::python
