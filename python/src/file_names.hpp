#pragma once

#include <string>

#include <nanobind/nanobind.h>

namespace batfill::python {

// The name of a file, or an argument of a command, which may have one. In Python it is a str, in which surrogates stand
// for bytes that are not UTF-8 (os.fsdecode).
struct FileName {
    std::string text;
    // NOLINTNEXTLINE(google-explicit-constructor): it stands where a text would stand.
    operator const std::string&() const { return text; }
};

}  // namespace batfill::python

namespace nanobind::detail {

template <>
struct type_caster<batfill::python::FileName> {
    NB_TYPE_CASTER(batfill::python::FileName, const_name("str"))

    bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
        PyObject* const bytes = PyUnicode_Check(source.ptr()) ? PyUnicode_EncodeFSDefault(source.ptr()) : nullptr;
        if (bytes == nullptr) {
            PyErr_Clear();
            return false;
        }
        value.text.assign(PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
        Py_DECREF(bytes);
        return true;
    }
    static handle from_cpp(const batfill::python::FileName& name, rv_policy, cleanup_list*) noexcept {
        return PyUnicode_DecodeFSDefaultAndSize(name.text.data(), static_cast<Py_ssize_t>(name.text.size()));
    }
};

}  // namespace nanobind::detail
