"""What goes into a bundle and what stays out, by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bootstrap.package import contents
from desktop.tools import times

NAMES = [
    ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
    ("PySide6/Qt/plugins/platforms/libqoffscreen.so", True),
    ("PySide6/Qt/plugins/platforms/libqvnc.so", False),
    ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", False),
    ("PySide6/Qt/plugins/platformthemes/libqxdgdesktopportal.so", True),
    ("PySide6/Qt/translations/qtbase_de.qm", True),
    ("PySide6/Qt/translations/qtbase_fr.qm", False),
    ("PySide6/Qt/lib/libQt6Core.so.6", True),
    ("PySide6/Qt/lib/libQt6Quick.so.6", False),
    ("PySide6/Qt/lib/libicudata.so.73", True),
    ("PySide6\\plugins\\platforms\\qwindows.dll", True),
    ("PySide6\\plugins\\platforms\\qdirect2d.dll", False),
    ("PySide6\\plugins\\iconengines\\qsvgicon.dll", True),
    ("PySide6\\translations\\qtbase_de.qm", True),
    ("PySide6\\translations\\qtbase_fr.qm", False),
    ("PySide6\\Qt6Widgets.dll", True),
    ("PySide6\\Qt6Quick.dll", False),
    ("PySide6\\opengl32sw.dll", False),
    ("PySide6\\QtWidgets.pyd", True),
    ("python311.dll", True),
    ("PySide6/Qt/plugins/platforms/libqcocoa.dylib", True),
    ("PySide6/Qt/plugins/platforms/libqminimal.dylib", False),
    ("PySide6/Qt/lib/QtWidgets.framework/Versions/A/QtWidgets", True),
    ("PySide6/Qt/lib/QtQuick.framework/Versions/A/QtQuick", False),
    ("PySide6/Qt/lib/QtQuick.framework/Resources/Info.plist", False),
    ("QtWidgets", True),
    ("QtQuick", False),
    ("libpython3.11.dylib", True),
    ("libstdc++.so.6", False),
    ("libgtk-3.so.0", False),
    ("libxcb-cursor.so.0", True),
    ("libgomp.so.1", True),
    ("libsqlite3.so.0", True),
    ("llama_cpp/lib/libllama.so", True),
    ("llama_cpp/lib/libggml-cpu-haswell.so", True),
    ("llama_cpp/lib/libggml-cpu-sapphirerapids.so", False),  # its AMX code ends the program
    ("llama_cpp/lib/ggml-cpu-sapphirerapids.dll", False),
    ("llama_cpp/lib/libggml-cpu-cannonlake.so", False),  # a single laptop's chip had it
    ("llama_cpp/lib/libggml-cpu-skylakex.so", True),
    ("babel/locale-data/de.dat", True),
    ("babel/locale-data/zu.dat", False),
    ("babel/global.dat", True),
    ("pytz/zoneinfo/Europe/Berlin", False),
    ("tld/res/effective_tld_names.dat.txt", True),
    ("tld/res/effective_tld_names_public_only.dat.txt", False),
    ("tzdata/zoneinfo/Europe/Berlin", True),
    ("trafilatura/settings.cfg", True),
    ("tree_sitter_bash/_binding.abi3.so", True),
    ("resources/commands/git.toml", True),
    ("tld/tests/res/names.txt", False),
    ("pydantic/py.typed", False),
    ("pydantic-2.14.3.dist-info/RECORD", False),
    ("pydantic-2.14.3.dist-info/METADATA", True),
]


@pytest.mark.parametrize(("name", "wanted"), NAMES)
def test_files(name: str, wanted: bool) -> None:
    """Plugins and libraries by list, other libraries of the system never, data of packages yes."""
    assert contents.is_wanted(name) is wanted


# What of Qt has to be in a bundle of each system, by the names in its wheel.
PLUGINS = {
    "linux": {
        *("platforms/libqxcb.so", "platforms/libqoffscreen.so", "platforms/libqwayland.so"),
        *("imageformats/libqgif.so", "imageformats/libqico.so", "imageformats/libqjpeg.so"),
        *("imageformats/libqsvg.so", "imageformats/libqwebp.so", "iconengines/libqsvgicon.so"),
        "platforminputcontexts/libcomposeplatforminputcontextplugin.so",
        "platforminputcontexts/libibusplatforminputcontextplugin.so",
        *("platformthemes/libqxdgdesktopportal.so", "wayland-shell-integration/libxdg-shell.so"),
    },
    "windows": {
        *("platforms/qwindows.dll", "platforms/qoffscreen.dll", "styles/qmodernwindowsstyle.dll"),
        *("imageformats/qgif.dll", "imageformats/qico.dll", "imageformats/qjpeg.dll"),
        *("imageformats/qsvg.dll", "imageformats/qwebp.dll", "iconengines/qsvgicon.dll"),
    },
    "macos": {
        *("platforms/libqcocoa.dylib", "platforms/libqoffscreen.dylib", "styles/libqmacstyle.dylib"),
        *("imageformats/libqgif.dylib", "imageformats/libqico.dylib", "imageformats/libqjpeg.dylib"),
        *("imageformats/libqsvg.dylib", "imageformats/libqwebp.dylib", "iconengines/libqsvgicon.dylib"),
    },
}
LIBRARIES = {
    "linux": (
        "libQt6{}.so.6",
        {"Core", "Gui", "Widgets", "DBus", "Network", "Svg", "XcbQpa", "WaylandClient"},
    ),
    "windows": ("Qt6{}.dll", {"Core", "Gui", "Widgets", "DBus", "Network", "Svg"}),
    "macos": ("Qt{0}.framework/Versions/A/Qt{0}", {"Core", "Gui", "Widgets", "DBus", "Network", "Svg"}),
}
WHEELS = Path(__file__).parent / "wheels"


def wanted_of_wheel(system: str) -> list[str]:
    """The names of files in the wheel of PySide6-Essentials 6.11.3 for this system that stay in a bundle.

    The lists hold plugins, libraries, translations and extension modules, as the wheels name them.
    """
    names = (WHEELS / f"{system}.txt").read_text(encoding="utf-8").splitlines()
    assert len(names) > 100
    return [name for name in names if contents.is_wanted(name)]


@pytest.mark.parametrize("system", PLUGINS)
def test_the_plugins_of_each_system_are_in_its_bundle(system: str) -> None:
    """Those that open a window, draw it and read pictures; no others, which would bring libraries."""
    kept = {name.partition("plugins/")[2] for name in wanted_of_wheel(system) if "/plugins/" in name}
    assert kept - {name for name in kept if name.startswith("wayland-decoration")} == PLUGINS[system]


@pytest.mark.parametrize("system", LIBRARIES)
def test_the_libraries_of_each_system_are_in_its_bundle(system: str) -> None:
    """What the kept modules and plugins are linked with, and nothing of Qt Quick."""
    pattern, names = LIBRARIES[system]
    kept = [name for name in wanted_of_wheel(system) if "/plugins/" not in name]
    assert {each for each in names if any(name.endswith(pattern.format(each)) for name in kept)} == names
    libraries = [
        name for name in kept if not name.endswith((".pyd", ".abi3.so"))
    ]  # modules have a list of their own
    assert [name for name in libraries if re.search("Quick|Qml|Designer|Test", name)] == []


@pytest.mark.parametrize("system", PLUGINS)
def test_the_words_of_qt_are_there_in_german_only(system: str) -> None:
    kept = [name for name in wanted_of_wheel(system) if "/translations/" in name]
    assert [name.rpartition("/")[2] for name in kept] == ["qtbase_de.qm"]


@pytest.mark.parametrize(
    ("name", "stripped"),
    [
        ("libpython3.11.so.1.0", True),
        ("python3.11/lib-dynload/_decimal.cpython-311-x86_64-linux-gnu.so", True),
        ("cryptography/hazmat/bindings/_rust.abi3.so", True),
        ("tree_sitter_bash/_binding.abi3.so", True),
        ("numpy.libs/libscipy_openblas64_-32a4b2a6.so", False),
        ("PySide6/QtCore.abi3.so", False),
        ("llama_cpp/lib/libllama.so.0", False),
    ],
)
def test_stripped(name: str, stripped: bool) -> None:
    """Only what was found to carry a debugger's names, and never Qt or llama.cpp."""
    assert contents.is_stripped(name) is stripped


@pytest.mark.parametrize(
    ("name", "wanted"), [("ddgs.engines.mojeek", True), ("ddgs.cli", False), ("ddgs.api_server.mcp", False)]
)
def test_modules(name: str, wanted: bool) -> None:
    """A module that is left out takes what is below it along."""
    assert contents.is_module_wanted(name) is wanted


def test_dates_are_read_in_the_languages_of_the_program_alone() -> None:
    """Those that reminders are read in go along; the other two hundred stay out."""
    data = "dateparser.data.date_translation_data"
    assert set(times.LANGUAGES) == set(contents.DATE_LANGUAGES)
    assert all(contents.is_module_wanted(f"{data}.{language}") for language in times.LANGUAGES)
    assert contents.is_module_wanted(data)
    assert contents.is_module_wanted("dateparser.data.languages_info")
    assert not contents.is_module_wanted(f"{data}.zu")
