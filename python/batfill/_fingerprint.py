"""Fingerprints of schedulers: hashes of the code and the values that their decisions can depend on."""

from __future__ import annotations

import ast
import copyreg
import dataclasses
import dis
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
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


# What code reads by these names is no part of it: of Python's own modules and of packages. docs/campaign.md names it.
_UNSEEN = {
    "builtins": {"__import__", "compile", "eval", "exec", "globals", "input", "open"},
    "importlib": {"import_module", "reload"},
    "io": {"open", "open_code"},
    "numpy": {"fromfile", "genfromtxt", "load", "loadtxt", "memmap"},
    "os": {"environ", "environb", "fdopen", "getcwd", "getenv", "getenvb", "getpid", "listdir", "open", "popen",
           "scandir", "stat", "system", "urandom", "walk"},
    "pandas": {"read_csv", "read_excel", "read_feather", "read_json", "read_parquet", "read_pickle", "read_table"},
    "random": {"SystemRandom"},
    "runpy": {"run_module", "run_path"},
    "secrets": {"choice", "randbelow", "randbits", "token_bytes", "token_hex", "token_urlsafe"},
    "subprocess": {"Popen", "call", "check_call", "check_output", "getoutput", "run"},
    "sys": {"_getframe", "argv", "modules", "stdin"},
    "time": {"asctime", "ctime", "gmtime", "localtime", "monotonic", "monotonic_ns", "perf_counter",
             "perf_counter_ns", "process_time", "process_time_ns", "strftime", "time", "time_ns"},
    "uuid": {"uuid1", "uuid4"},
}
_READING = frozenset({"read_bytes", "read_text"})  # methods of paths
_CLOCKS = frozenset({"now", "today", "utcnow"})  # of datetime and date
_MAKERS = frozenset({"__init__", "__new__", "__post_init__"})
_COPIERS = frozenset({"__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__setstate__"})  # may call the former
# With these, code may find any member of a module.
_SEARCHING = frozenset({"__dict__", "__getattribute__", "attrgetter", "getattr", "getmembers", "vars"})


@functools.cache
def _unseen_objects() -> dict[int, tuple[str, Any]]:
    """The same by id: whatever name code has for them."""
    found: dict[int, tuple[str, Any]] = {}
    for module in ("builtins", "importlib", "io", "os", "sys", "time"):
        for name in sorted(_UNSEEN[module]):
            value = getattr(sys.modules.get(module), name, None)
            if value is not None:
                found.setdefault(id(value), (_written(module, name), value))
    return found


def _written(module: str, name: str) -> str:
    return f"{name}()" if module == "builtins" else f"{module}.{name}"


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


def _installed_version(module: str) -> str:
    """The version of the package that has a module; empty without one. Imports nothing."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return ""
    try:
        return " ".join(importlib.metadata.version(name) for name in sorted(set(_distributions().get(top, ()))))
    except importlib.metadata.PackageNotFoundError:
        return ""


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


def _steps_of(code: types.CodeType) -> list[dis.Instruction]:
    return [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "EXTENDED_ARG", "NOP")]


@dataclasses.dataclass(frozen=True)
class _Import:
    """A module that a function imports when it runs."""

    name: str
    level: int
    """How many levels above the function's own module; 0 for an absolute name."""
    members: tuple[str, ...]
    """What `from` names."""
    alias: str
    """The name of the module in the function; empty with `from`."""


def _imports_in(code: types.CodeType) -> Iterator[_Import]:
    for one in _code_in(code):
        steps = _steps_of(one)
        for place, step in enumerate(steps):
            if step.opname != "IMPORT_NAME":
                continue
            level, members = (before.argval for before in steps[place - 2 : place])
            alias = next((str(later.argval) for later in steps[place:] if later.opname.startswith("STORE")), "")
            yield _Import(str(step.argval), int(level or 0), tuple(members or ()), "" if members else alias)


def _attributes_read(code: types.CodeType) -> dict[str, set[str]]:
    """Which attributes code reads of what it has under each name; with "" if it does something else with that."""
    found: dict[str, set[str]] = {}
    for one in _code_in(code):
        steps = _steps_of(one)
        for step, later in zip(steps, steps[1:]):
            if "LOAD" in step.opname:
                attribute = str(later.argval) if later.opname in ("LOAD_ATTR", "LOAD_METHOD") else ""
                for name in step.argval if isinstance(step.argval, tuple) else (step.argval,):
                    found.setdefault(str(name), set()).add(attribute)
    return found


class _Walker:
    """Hashes a value with all that it refers to. Equal in every process for equal code and values."""

    def __init__(self, sources: _Sources) -> None:
        self._sources = sources
        self._makers: dict[int, type] = {}  # __init__ and the like by id, with their classes
        self._unseen_by_makers: dict[type, set[str]] = {}
        self._referred_by_makers: dict[type, set[type]] = {}
        self._referred: set[type] = set()  # classes of which other code may make instances
        self._class_cells: set[int] = set()  # of super()
        self._digest = hashlib.sha256()
        self._places: dict[int, int] = {}  # in `_found`, by id
        self._found: list[Any] = []
        self._modules: set[tuple[int, tuple[str, ...]]] = set()  # with the names that code reads of them
        self.unseen: set[str] = set()

    def hash_of(self, value: Any) -> str:
        """The hash of a value with all that it refers to. Then `unseen` has what cannot be seen.

        What `__init__` reads is in the attributes of an instance, unless code may make another instance.
        """
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
        self._add_makers()
        return self._digest.hexdigest()

    def _add_makers(self) -> None:
        """Adds what the makers read of all classes of which code may make instances."""
        waiting, reached = list(self._referred), set(self._referred)
        while waiting:
            for kind in waiting.pop().__mro__:
                self.unseen |= self._unseen_by_makers.get(kind, set())
                new = self._referred_by_makers.get(kind, set()) - reached
                reached |= new
                waiting += new

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
            if isinstance(value, type):
                self._referred.add(value)
            self._place(value)

    def _place(self, value: Any) -> None:
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
        if id(value) in _unseen_objects():
            self.unseen.add(_unseen_objects()[id(value)][0])
        elif isinstance(value, type):
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
        if id(cell) in self._class_cells:
            self._place(content)
            return
        self._parts("cell", content)

    def _class(self, kind: type) -> None:
        self.text("class", _name_of(kind))
        if not self._is_own_class(kind):
            self._version_of(kind.__module__)
            return
        self._add_file(_file_of_module(kind.__module__))
        self._place(type(kind))
        self.text("bases", len(kind.__bases__))
        for base in kind.__bases__:
            self._place(base)
        functions = {name: one for name, one in vars(kind).items() if isinstance(one, types.FunctionType)}
        self._makers.update({id(one): kind for name, one in functions.items() if name in _MAKERS})
        called = {name for key, one in functions.items() if key not in _MAKERS for name in one.__code__.co_names}
        if not _COPIERS.isdisjoint(functions) or not called.isdisjoint(_MAKERS):
            self._referred.add(kind)
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
        elif not _SEARCHING.isdisjoint(names):
            names = tuple(sorted({*names, *(name for name in vars(module) if isinstance(name, str))}))
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

    def _imported(self, function: types.FunctionType, names: tuple[str, ...]) -> None:
        """Adds the modules that a function imports when it runs. Imports those of the user's, as the run would."""
        package = str(function.__globals__.get("__package__") or "")
        attributes = _attributes_read(function.__code__)
        for one in _imports_in(function.__code__):
            self.text("import", one.level, one.name, one.members)
            parts = [one.name, *(f"{one.name}.{member}".lstrip(".") for member in one.members)]
            importer = function.__code__.co_filename
            # All before the first is looked at: to import a part changes its package.
            for module in [self._module_of_run("." * one.level + part, package, importer) for part in parts]:
                if module is not None and self._sources.are_own(getattr(module, "__file__", None)):
                    self._module(module, names)
            if one.level > 0:
                continue
            self.text(_installed_version(one.name))  # whether it was imported before or not
            module = sys.modules.get(one.name)
            if module is not None:
                read = set(one.members) or _used(attributes, one.alias, names)
                self._note(function, _unseen_of(module, read))
                self._generators(module, read)

    def _module_of_run(self, name: str, package: str, importer: str) -> types.ModuleType | None:
        try:
            full = importlib.util.resolve_name(name, package)
            if full not in sys.modules and any(map(self._sources.are_own, _files_of_module(name, importer))):
                importlib.import_module(full)
        except Exception:  # pylint: disable=broad-exception-caught
            return None  # whatever code of the user's raises; if the run raises it, too, that says it
        return sys.modules.get(full)

    def _note(self, function: types.FunctionType, unseen: Iterable[str]) -> None:
        """Notes what a function reads that no code shows."""
        kind = self._makers.get(id(function))
        (self.unseen if kind is None else self._unseen_by_makers.setdefault(kind, set())).update(unseen)

    def _generators(self, module: types.ModuleType, names: Iterable[str]) -> None:
        """Adds the state of the random generator of a package, if code uses it."""
        for name in sorted(names):
            generator = getattr(vars(module).get(name), "__self__", None)
            if type(generator).__name__ in _GENERATORS:
                self.value(generator)

    def _version_of(self, name: str) -> None:
        """Adds the version of an installed package."""
        top = sys.modules.get(name.partition(".")[0])
        self.text(getattr(top, "__version__", ""))

    def _add_file(self, path: str | None) -> None:
        if path is not None and self._sources.are_own(path):
            self._sources.add(path)

    def _function(self, function: types.FunctionType) -> None:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            if name == "__class__":
                self._class_cells.add(id(cell))
        self._parts("given", function.__closure__, function.__defaults__, function.__kwdefaults__)
        if self._is_installed(function):
            self._function_of_c(function)
            return
        self._add_file(function.__code__.co_filename)
        self.text("function")
        self._code(function.__code__)
        self._members(vars(function).items())
        read, names = _globals_read(function.__code__)
        self._imported(function, names)
        attributes = _attributes_read(function.__code__)
        self._note(function, _files_and_clocks(attributes))
        for name in read:
            if name not in function.__globals__:
                self._note(function, [_written("builtins", name)] if name in _UNSEEN["builtins"] else [])
                continue
            self.text("global", name)
            found = function.__globals__[name]
            if isinstance(found, types.ModuleType):
                self._module(found, names)  # this code may read other names of it than that before
                self._note(function, _unseen_of(found, _used(attributes, name, names)))
            elif isinstance(found, type) and id(function) in self._makers:
                self._referred_by_makers.setdefault(self._makers[id(function)], set()).add(found)
                self._place(found)
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
        if function.__name__ in _UNSEEN.get(module, ()):
            self.unseen.add(f"{module}.{function.__name__}")
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
        self._place(kind)
        if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "dtype") and hasattr(value, "tobytes"):
            self._array(value)
            if hasattr(value, "mask"):
                self.value(value.mask)
        elif kind.__module__.partition(".")[0] == "torch" and hasattr(value, "detach"):
            self._array(value.detach().cpu().numpy())
        elif not self._is_own_class(kind):
            self._reduced(value)
        elif any(self._is_own_class(one) and _says_its_state(one) for one in kind.__mro__):
            self._reduced(value)
        else:
            self._own_state(value)
            others = [one for one in kind.__mro__ if one is not object and one not in _PLAIN]
            if any(not self._is_own_class(one) and _says_its_state(one) for one in others):
                self._reduced(value)  # what a base class holds, such as the numbers of an array

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
        for base in _PLAIN:
            if isinstance(value, base):
                self.value(_content(value, base))

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


_PLAIN: tuple[type, ...] = (dict, list, tuple, set, frozenset, str, bytes, int, float)


def _content(value: Any, base: type) -> Any:
    """What an instance of a class derived from a plain type holds as one; by no code of that class."""
    if base in (list, tuple, set, frozenset):
        return base(base.__iter__(value))  # pylint: disable=unnecessary-dunder-call
    if base is dict:
        return dict(dict.items(value))
    return base.__getnewargs__(value)[0]  # type: ignore[attr-defined]


def _unseen_of(module: types.ModuleType, read: Iterable[str]) -> list[str]:
    return [_written(module.__name__, name) for name in _UNSEEN.get(module.__name__, set()).intersection(read)]


def _files_and_clocks(attributes: Mapping[str, set[str]]) -> set[str]:
    """What code reads of these by methods: of paths, and of datetime and date."""
    return {f"{name}()" for name in _READING.intersection(attributes)} | {
        f"{name}.{clock}()" for name in ("datetime", "date") for clock in _CLOCKS & attributes.get(name, set())
    }


def _used(attributes: Mapping[str, set[str]], name: str, names: Iterable[str]) -> set[str]:
    """What code may read of a module that it has under this name: all names, if it does not only read attributes."""
    read = attributes.get(name, set())
    return read | set(names) if "" in read else read


def _says_its_state(kind: type) -> bool:
    """Whether a class itself says what is to be kept of an instance."""
    return any(name in vars(kind) for name in ("__getstate__", "__reduce__", "__reduce_ex__"))


def fingerprint(scheduler: Any) -> tuple[str, list[str]]:
    """A hash of the code and the values of a scheduler, the same in every process; what of them cannot be seen.

    The latter are names such as "sys.argv", in order. Sees its class with its bases, its attributes, and the
    functions, classes, values and modules that these refer to. Of the user's own modules it takes whole files, of
    installed packages the name and version. Imports those of the user's modules that its functions import.
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
