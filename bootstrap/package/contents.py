"""What goes into a bundle and what stays out. Plain data; packaging/steward.spec asks here.

Needs the standard library only: PyInstaller reads it in its own environment, the tests in theirs.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch

# Modules that code finds by a name made at run time, so that no reader of imports sees them.
PACKAGES_WHOLE = (
    "desktop",
    "ddgs",
    "dateparser.data",
    "keyring.backends",
    "jeepney",
    "pygments.lexers",
    "tree_sitter_bash",
    "tree_sitter_powershell",
)
# What an extension may count on beside whatever the program itself imports (docs/extensions-api.md).
FOR_EXTENSIONS = (
    *(
        "collections",
        "datetime",
        "decimal",
        "difflib",
        "fractions",
        "functools",
        "hashlib",
        "html",
        "itertools",
    ),
    *("json", "math", "random", "re", "statistics", "string", "textwrap", "unicodedata", "urllib.parse"),
)
MODULES = (
    *FOR_EXTENSIONS,
    "llama_cpp.llama_cpp",
    "llama_cpp._ctypes_extensions",
    "lxml._elementpath",
    # Imported by functions that run in a child only.
    *("ziamath", "ziamath.config"),
)

# Packages with files that are no modules.
PACKAGES_WITH_DATA = (
    *("certifi", "dateparser", "justext", "tld", "trafilatura", "tzdata"),
    # The fonts and the table of commands of formulas.
    *("latex2mathml", "ziafont", "ziamath"),
)

# Packages that somebody, or they themselves, ask for their version or their entry points (keyring finds its
# backends so).
METADATA = ("keyring", "latex2mathml", "llama-cpp-python", "PySide6-Essentials")

# llama-cpp-python's package needs a disk cache; engine/llama.py goes around it. Of numpy, search by meaning
# needs arrays and their product. The rest is tools.
EXCLUDED_MODULES = (
    *("numpy.f2py", "numpy.fft", "numpy.ma", "numpy.polynomial", "numpy.random", "numpy.testing"),
    *("diskcache", "pip", "setuptools", "pkg_resources", "_distutils_hack", "wheel"),
    *("tkinter", "test", "lib2to3", "pydoc_data", "idlelib", "ensurepip", "turtledemo", "doctest"),
    *("pydantic.v1", "pydantic.mypy", "tld.tests", "babel.messages", "dateparser.calendars"),
    *("pytest", "hypothesis", "mypy", "IPython", "uvloop", "brotli", "brotlicffi", "cchardet", "pycurl"),
    *("lxml.isoschematron", "lxml.objectify", "lxml.html._difflib", "lxml.html.diff", "trafilatura.cli"),
    # Of ddgs the readers of result pages go along; the requests are ours.
    *("primp", "ddgs.http_client", "ddgs.ddgs", "ddgs.api_server", "ddgs.cli", "aiohttp.pytest_plugin"),
    # What httpx needs as a command.
    *("httpx._main", "click"),
    *("PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtTest"),
)

# Start-up code of PyInstaller for features that Steward does not use: each costs milliseconds of every start.
UNUSED_START_UP = (
    *("pyi_rth_inspect", "pyi_rth_multiprocessing", "pyi_rth_setuptools", "pyi_rth_pkgres"),
    # Loads Qt for every command, and points the Qt of all programs that we start to our plugins. PySide6
    # finds them without it.
    "pyi_rth_pyside6",
)
# Lets the search engines of ddgs be found; a process of an extension, which is to stay small, does without.
START_UP_OF_THE_PROGRAM = ("pyi_rth_pkgutil",)

QT = ("PySide6/Qt/", "PySide6/")  # the second on Windows
# By folder, under the names that are the same on all systems: without `lib` and ending.
QT_PLUGINS = {
    "platforms": ("qxcb", "qwayland*", "qwindows", "qcocoa", "qoffscreen"),
    "styles": ("qmodernwindowsstyle", "qmacstyle"),
    "iconengines": ("*",),
    "imageformats": ("qsvg", "qjpeg", "qgif", "qico", "qwebp"),
    "platforminputcontexts": ("composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"),
    "platformthemes": ("qxdgdesktopportal",),
    "wayland-shell-integration": ("xdg-shell",),
    "wayland-decoration-client": ("*",),
}
# The words of Qt's own buttons and menus, in the languages of the program but English.
QT_TRANSLATIONS = ("qtbase_de.qm",)
# Linux libQt6Core.so.6, Windows Qt6Core.dll, macOS QtCore.framework/… and a link to it on top.
_QT_LIBRARY = re.compile(
    r"(?:^|/)(?:(?:lib)?Qt6(?P<name>[^/.]+)[^/]*|Qt(?P<framework>\w+)\.framework/.*)$|^Qt(?P<link>\w+)$"
)
QT_LIBRARIES = ("Core", "Gui", "Widgets", "DBus", "Network", "Svg", "XcbQpa", "WaylandClient")

# Libraries of the building computer that go along. All others are the own ones of a desktop, at least as new
# as ours: an older copy beside them would break the drivers that its libraries load.
TAKEN_ALONG = (
    *("libpython3.*.so*", "libcrypto.so.*", "libssl.so.*", "libsqlite3.so.*", "libffi.so.*", "libbz2.so.*"),
    *("liblzma.so.*", "libgomp.so.*", "libuuid.so.*", "libxcb-*.so.*", "libxkbcommon*.so.*"),
)
# Of CUDA, what llama.cpp's back end is linked with, which NVIDIA's agreement (attachment A) lets programs
# carry along; the driver, libcuda, is the computer's own.
CUDA_LIBRARIES = ("libcudart.so.*", "libcublas.so.*", "libcublasLt.so.*")
# llama.cpp for processors with AMX ends the program there: compilers leave out most of what sets the tiles up
# (ggml-org/llama.cpp, issue 20824 and pull request 26954). The next best library takes its place.
BROKEN_LIBRARIES = ("*ggml-cpu-sapphirerapids.*",)
# For one laptop's chip and for servers of 2020, which then take the library of the generation before. Each is
# 1.5 MB.
RARE_PROCESSORS = ("*ggml-cpu-cannonlake.*", "*ggml-cpu-cooperlake.*")
# Windows: OpenGL computed by the processor, 20 MB, which only Qt Quick and the left-out parts ask for.
UNUSED_LIBRARIES = ("opengl32sw.dll",)
OWN_LIBRARIES = ("libQt6*", "libicu*", "libpyside6.*", "libshiboken6.*", "libllama*", "libggml*")

# Compiled with the names of all their functions inside, which only a debugger reads.
STRIPPED = (
    "libpython3.*",
    "python3*/lib-dynload/*.so",
    *("aiohttp/*.so", "frozenlist/*.so", "multidict/*.so", "propcache/*.so"),
    *("cryptography/*.so", "numpy/*.so", "regex/*.so", "tree_sitter*/*.so"),
)

# Of dateparser's two hundred, those that desktop/tools/times.py reads.
DATE_LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pl", "pt", "ru", "tr")
_DATES = "dateparser.data.date_translation_data."

# courlan asks babel for a language only where a caller filters pages by one, which Steward never does.
BABEL_LOCALES = ("root.dat", "en.dat", "de.dat")

# dateparser opens one of these only where its settings name a zone, which Steward's do not. Python's own
# `zoneinfo`, which the program uses, reads the same zones from tzdata.
ZONES_OF_PYTZ = "pytz/zoneinfo/"

# tld reads it only where the private names below public ones are not to count; courlan, which asks for a
# site's own name, counts them.
PUBLIC_NAMES_ONLY = "tld/res/effective_tld_names_public_only.dat.txt"


def is_wanted(name: str) -> bool:
    """Whether the file with this path inside the bundle stays in it."""
    path = name.replace("\\", "/")
    folder, _, file_name = path.rpartition("/")
    inside = next((path.removeprefix(start) for start in QT if path.startswith(start)), "")
    if inside.startswith("plugins/"):
        return _is_plugin_wanted(inside)
    if inside.startswith("translations/"):
        return file_name in QT_TRANSLATIONS
    if inside.startswith(("qml/", "resources/")):
        return False
    library = _QT_LIBRARY.search(path)
    if library is not None:
        return (library["name"] or library["framework"] or library["link"]) in QT_LIBRARIES
    if not folder and is_library(file_name):
        return any(fnmatch(file_name, pattern) for pattern in (*TAKEN_ALONG, *OWN_LIBRARIES))
    if path.startswith("babel/locale-data/"):
        return file_name in BABEL_LOCALES
    if path.startswith(ZONES_OF_PYTZ) or path == PUBLIC_NAMES_ONLY:
        return False
    return not _is_waste(path, file_name)


def _is_plugin_wanted(inside: str) -> bool:
    """`inside` begins with plugins/."""
    folder, _, file_name = inside.removeprefix("plugins/").rpartition("/")
    name = file_name.partition(".")[0].removeprefix("lib")
    return any(fnmatch(name, pattern) for pattern in QT_PLUGINS.get(folder, ()))


def is_module_wanted(name: str) -> bool:
    """Whether a module found inside PACKAGES_WHOLE goes along."""
    if name.startswith(_DATES):
        return name.removeprefix(_DATES) in DATE_LANGUAGES
    return not any(name == left_out or name.startswith(f"{left_out}.") for left_out in EXCLUDED_MODULES)


def is_library(file_name: str) -> bool:
    """A shared library of the system, such as libz.so.1; extension modules of Python are none."""
    return file_name.startswith("lib") and ".so" in file_name


def is_stripped(name: str) -> bool:
    """Whether the names for debuggers are taken out of the file with this path below `_internal`."""
    return any(fnmatch(name, pattern) for pattern in STRIPPED)


def _is_waste(path: str, file_name: str) -> bool:
    """What does not work, and files for those who build on a package or take it away again: stubs, headers,
    tests, sources, the list of an installer."""
    left_out = (*BROKEN_LIBRARIES, *RARE_PROCESSORS, *UNUSED_LIBRARIES)
    if any(fnmatch(file_name, pattern) for pattern in left_out):
        return True
    if file_name.endswith((".pyi", ".h", ".pxd", ".pyx", ".c", "py.typed")):
        return True
    if path.endswith((".dist-info/RECORD", ".dist-info/INSTALLER", ".dist-info/REQUESTED")):
        return True
    return "/tests/" in path or path.startswith("PySide6/libpyside6qml")
