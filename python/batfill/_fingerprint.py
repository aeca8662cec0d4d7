"""Fingerprints of schedulers: hashes of the code and the values that their decisions can depend on."""

from __future__ import annotations

import ast
import copyreg
import dis
import functools
import hashlib
import os
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import PathFinder
from operator import itemgetter
from typing import Any

# Members of classes, functions and modules that say nothing about what they do.
_NO_STATE = frozenset({
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__",
    "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__", "__firstlineno__", "__module__",
    "__orig_bases__", "__parameters__", "__qualname__", "__slotnames__", "__static_attributes__", "__weakref__",
    "__wrapped__", "_abc_impl",
})  # fmt: skip
_LITERALS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))
_OF_C = (types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodWrapperType, types.MethodDescriptorType,
         types.ClassMethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType)  # fmt: skip
# What objects of these types hold.
_PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    list: lambda value: value,
    dict: lambda value: (part for item in value.items() for part in item),
    types.MappingProxyType: lambda value: (dict(value),),
    types.MethodType: lambda value: (value.__func__, value.__self__),
    staticmethod: lambda value: (value.__func__,),
    classmethod: lambda value: (value.__func__,),
    property: lambda value: (value.fget, value.fset, value.fdel),
    functools.partial: lambda value: (value.func, value.args, value.keywords, vars(value)),
    functools.partialmethod: lambda value: (value.func, value.args, value.keywords),
    functools.cached_property: lambda value: (value.func,),
}
_OF_PROGRAM = ("__main__", "builtins")  # the latter is of code that names no module
_GENERATORS = ("Random", "RandomState")
_MADE_AT_RUN_TIME = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_LOCKS = ("_thread.lock", "_thread.RLock")


def _installed() -> tuple[str, ...]:
    """The folders of Python's library and of installed packages."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(os.path.realpath(path) + os.sep for path in map(sysconfig.get_path, names) if path)


class _Sources:
    """The files of the user's own code that are part of a scheduler, with those of the modules that they import."""

    def __init__(self, folder: str | None) -> None:
        self._folder = None if folder is None else os.path.realpath(folder) + os.sep
        self._installed = _installed()
        self._files: dict[str, bytes] = {}

    def are_own(self, path: str | None) -> bool:
        """Whether this file is the user's: not of Python or an installed package, unless the scheduler is in there."""
        if not path or not os.path.isfile(path):
            return False
        real = os.path.realpath(path)
        inside = real[len(self._folder) :] if self._folder and real.startswith(self._folder) else real
        if {"site-packages", "dist-packages"} & set(inside.split(os.sep)):
            return False
        return inside != real or not real.startswith(self._installed)

    def add(self, path: str) -> None:
        """Adds a file of the user's, and those that it imports."""
        if path in self._files:
            return
        with open(path, "rb") as file:
            self._files[path] = file.read()
        if not path.endswith(".py"):
            return
        try:
            tree = ast.parse(self._files[path])
        except (SyntaxError, ValueError):
            return
        for name in _imported(tree):
            for origin in _files_of_module(name, path):
                if self.are_own(origin):
                    self.add(origin)

    def hashes(self) -> list[str]:
        """Of the files, whatever their names."""
        return sorted(hashlib.sha256(content).hexdigest() for content in self._files.values())


def _imported(tree: ast.AST) -> Iterator[str]:
    """The modules that code imports, and what may be one; with a dot for each level above the code's own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            yield start
            for alias in node.names:
                yield f"{start}.{alias.name}" if node.module else start + alias.name


def _files_of_module(name: str, importer: str) -> Iterator[str]:
    """The files of a module and of the packages around it. Imports nothing."""
    levels = len(name) - len(name.lstrip("."))
    folder = os.path.dirname(importer)
    for _ in range(levels - 1):
        folder = os.path.dirname(folder)
    where: Iterable[str] = [folder] if levels else [*sys.path, folder]
    full = ""
    for part in filter(None, name.split(".")):
        full = part if levels or not full else f"{full}.{part}"
        try:
            spec = PathFinder.find_spec(full, list(where))
        except (ImportError, ValueError, AttributeError, OSError):
            return
        if spec is None:
            return
        if spec.origin:
            yield spec.origin
        if spec.submodule_search_locations is None:
            return
        where = list(spec.submodule_search_locations)


def _code_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code, and that of the functions and classes inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code_in(constant)


def _globals_read(code: types.CodeType) -> tuple[list[str], tuple[str, ...]]:
    """The names of globals that code reads, with the code inside of it; all names that it has, also as texts."""
    loads = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_CLASSDEREF")
    found: set[str] = set()
    names: set[str] = set()
    for one in _code_in(code):
        names.update(one.co_names, (text for text in one.co_consts if isinstance(text, str) and text.isidentifier()))
        found.update(str(step.argval) for step in dis.get_instructions(one) if step.opname in loads)
    return sorted(found), tuple(sorted(names))


class _Walker:
    """Hashes a value with all that it refers to. Equal in every process for equal code and values."""

    def __init__(self, sources: _Sources) -> None:
        self._sources = sources
        self._digest = hashlib.sha256()
        self._places: dict[int, int] = {}  # in `_found`, by id
        self._found: list[Any] = []
        self._modules: set[tuple[int, tuple[str, ...]]] = set()  # with the names that code reads of them
        self.unseen: set[str] = set()

    def hash_of(self, value: Any) -> str:
        """The hash of a value with all that it refers to."""
        self.value(value)
        place = 0
        while place < len(self._found):
            found = self._found[place]
            self.text("object", place)
            try:
                self._object(found)
            except Exception:  # pylint: disable=broad-exception-caught
                self.unseen.add(_name_of(type(found)))  # whatever code of the user's raises
            place += 1
        return self._digest.hexdigest()

    def text(self, *texts: object) -> None:
        """Adds texts, each with its length."""
        for one in texts:
            data = str(one).encode("utf-8", "surrogatepass")
            self._digest.update(b"%d:" % len(data) + data)

    def value(self, value: Any) -> None:
        """Adds a value of any kind. Of an object it adds the place, and looks into it later."""
        kind = type(value)
        if kind in _LITERALS:
            self.text(kind.__name__, format(value, "x") if kind is int else repr(value))
        elif kind in (tuple, frozenset, set):
            self._collection(value)
        elif kind is types.CodeType:
            self._code(value)
        elif isinstance(value, types.ModuleType):
            self._module(value, ())
        else:
            if id(value) not in self._places:
                self._places[id(value)] = len(self._found)
                self._found.append(value)
            self.text("place", self._places[id(value)])

    def _collection(self, values: Any) -> None:
        self.text(type(values).__name__, len(values))
        if isinstance(values, tuple):
            for one in values:
                self.value(one)
            return
        hashes = []
        for one in values:  # in no order
            inner = _Walker(self._sources)
            hashes.append(inner.hash_of(one))
            self.unseen |= inner.unseen
        self.text(*sorted(hashes))

    def _object(self, value: Any) -> None:
        kind = type(value)
        if isinstance(value, type):
            self._class(value)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, _OF_C):
            self._function_of_c(value)
        elif kind in _PARTS:
            self._parts(kind.__name__, *_PARTS[kind](value))
        elif hasattr(value, "cache_info") and hasattr(value, "__wrapped__"):
            self._parts("cache", value.__wrapped__)
        elif kind is types.CellType:
            self._cell(value)
        elif _name_of(kind) in _LOCKS:
            self.text("lock")
        else:
            self._instance(value)

    def _parts(self, kind: str, *parts: Any) -> None:
        self.text(kind, len(parts))
        for part in parts:
            self.value(part)

    def _members(self, members: Iterable[tuple[str, Any]]) -> None:
        kept = sorted(((name, value) for name, value in members if name not in _NO_STATE), key=itemgetter(0))
        self.text("members", len(kept))
        for name, value in kept:
            self.text(name)
            self.value(value)

    def _cell(self, cell: Any) -> None:
        try:
            content = cell.cell_contents
        except ValueError:
            self.text("empty cell")
            return
        self._parts("cell", content)

    def _class(self, kind: type) -> None:
        self.text("class", _name_of(kind))
        if not self._is_own_class(kind):
            self._version_of(kind.__module__)
            return
        self._add_file(_file_of_module(kind.__module__))
        self.value(type(kind))
        self.value(kind.__bases__)
        self._members(vars(kind).items())

    def _is_own_class(self, kind: type) -> bool:
        module = sys.modules.get(kind.__module__)
        if kind.__module__.partition(".")[0] == "batfill" or not kind.__flags__ & _MADE_AT_RUN_TIME:
            return False
        if kind.__module__ in _OF_PROGRAM:
            return True
        path = getattr(module, "__file__", None)
        if module is None:
            return True
        if not path or not self._sources.are_own(path):
            # One that a program makes and gives to another module has its code elsewhere.
            codes = [one.__code__ for one in vars(kind).values() if isinstance(one, types.FunctionType)]
            return any(self._sources.are_own(code.co_filename) for code in codes)
        return True

    def _module(self, module: types.ModuleType, names: tuple[str, ...]) -> None:
        """Adds a module, and what code with these names may read of it."""
        self.text("module", module.__name__)
        if (id(module), names) in self._modules:
            return
        self._modules.add((id(module), names))
        path = getattr(module, "__file__", None)
        is_own = self._sources.are_own(path)
        self._add_file(path)
        if not is_own:
            self._version_of(module.__name__)
        for name in names:
            if name not in vars(module) or name.startswith("__"):
                continue
            found = vars(module)[name]
            generator = getattr(found, "__self__", None)
            if isinstance(found, types.ModuleType) and (is_own or name == "random"):
                self._module(found, names)
            elif is_own:
                self.text(name)
                self.value(found)
            elif type(generator).__name__ in _GENERATORS:  # its state is that of the package
                self.value(generator)

    def _version_of(self, name: str) -> None:
        """Adds the version of an installed package."""
        top = sys.modules.get(name.partition(".")[0])
        self.text(getattr(top, "__version__", ""))

    def _add_file(self, path: str | None) -> None:
        if path is not None and self._sources.are_own(path):
            self._sources.add(path)

    def _function(self, function: types.FunctionType) -> None:
        self._parts("given", function.__closure__, function.__defaults__, function.__kwdefaults__)
        if self._is_installed(function):
            self._function_of_c(function)
            return
        self._add_file(function.__code__.co_filename)
        self.text("function")
        self._code(function.__code__)
        self._members(vars(function).items())
        read, names = _globals_read(function.__code__)
        for name in read:
            if name not in function.__globals__:
                continue
            self.text("global", name)
            found = function.__globals__[name]
            if isinstance(found, types.ModuleType):
                self._module(found, names)  # this code may read other names of it than that before
            else:
                self.value(found)

    def _is_installed(self, function: types.FunctionType) -> bool:
        path = function.__code__.co_filename
        if os.path.isfile(path):
            return not self._sources.are_own(path)
        if path.startswith("<frozen "):
            return True
        of_module = _file_of_module(function.__module__)
        return function.__module__ not in _OF_PROGRAM and of_module is not None and not self._sources.are_own(of_module)

    def _function_of_c(self, function: Any) -> None:
        """Adds a function that is part of Python or of an installed package, by its name."""
        module = getattr(function, "__module__", None) or ""
        self.text("installed", module, getattr(function, "__qualname__", function.__name__))
        self._version_of(module)
        bound = getattr(function, "__self__", None)
        if bound is not None and not isinstance(bound, types.ModuleType):
            self.value(bound)

    def _code(self, code: types.CodeType) -> None:
        self.text("code", code.co_code.hex(), code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount,
                  code.co_flags, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
                  getattr(code, "co_exceptiontable", b""))  # fmt: skip
        self.value(code.co_consts)

    def _instance(self, value: Any) -> None:
        kind = type(value)
        self.value(kind)
        if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "dtype") and hasattr(value, "tobytes"):
            self._array(value)
        elif kind.__module__.partition(".")[0] == "torch" and hasattr(value, "detach"):
            self._array(value.detach().cpu().numpy())
        elif self._is_own_class(kind) and not _says_its_state(kind):
            self._own_state(value)
        else:
            self._reduced(value)

    def _array(self, array: Any) -> None:
        self.text("array", array.dtype.str, array.shape)
        if array.dtype.hasobject:
            self.value(array.tolist())
        elif array.dtype.names:
            self.text(array.dtype.descr)
            self._digest.update(array.tobytes())
        else:
            self._digest.update(array.tobytes())

    def _own_state(self, value: Any) -> None:
        slots = {
            name: getattr(value, name)
            for kind in type(value).__mro__
            for name, member in vars(kind).items()
            if isinstance(member, types.MemberDescriptorType) and hasattr(value, name)
        }
        self._members([*slots.items(), *getattr(value, "__dict__", {}).items()])
        plain: tuple[type, ...] = (dict, list, tuple, set, frozenset, str, bytes, int, float)
        for base in plain:
            if isinstance(value, base):
                self.value(base(value))

    def _reduced(self, value: Any) -> None:
        """Adds what pickle would keep."""
        registered = copyreg.dispatch_table.get(type(value))
        reduced = registered(value) if registered is not None else value.__reduce_ex__(4)
        if isinstance(reduced, str):
            self.text("global", reduced)
            return
        make, arguments, state, items, pairs = (*reduced, *(None,) * 5)[:5]
        self._parts("made by", make, arguments)
        if isinstance(state, dict):
            self._members((str(name), one) for name, one in state.items())
        else:
            self.value(state)
        self._parts("items", *(items or ()))
        self._parts("pairs", *(part for pair in pairs or () for part in pair))


def _name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _file_of_module(name: str) -> str | None:
    return getattr(sys.modules.get(name), "__file__", None)


def _says_its_state(kind: type) -> bool:
    """Whether a class of the user's says what is to be kept of an instance."""
    own = [vars(one) for one in kind.__mro__ if one is not object]
    return any(name in members for members in own for name in ("__getstate__", "__reduce__", "__reduce_ex__"))


def fingerprint(scheduler: Any) -> tuple[str, list[str]]:
    """A hash of the code and the values of a scheduler, the same in every process; what of them cannot be seen.

    Sees its class with its bases, its attributes, and the functions, classes, values and modules that these refer to.
    Of the user's own modules it takes whole files, of installed packages the name and version.
    """
    functions = [
        one
        for kind in type(scheduler).__mro__
        for member in vars(kind).values()
        for one in (getattr(member, "__func__", member),)
        if isinstance(one, types.FunctionType) and kind.__module__.partition(".")[0] != "batfill"
    ]
    files = [one.__code__.co_filename for one in functions if os.path.isfile(one.__code__.co_filename)]
    sources = _Sources(os.path.dirname(os.path.realpath(files[0])) if files else None)
    walker = _Walker(sources)
    parts = [walker.hash_of(scheduler), *sources.hashes()]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest(), sorted(walker.unseen)
