"""What goes into a bundle and what stays out, by name."""

from __future__ import annotations

import pytest

from bootstrap.package import contents

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
    ("libstdc++.so.6", False),
    ("libgtk-3.so.0", False),
    ("libxcb-cursor.so.0", True),
    ("libgomp.so.1", True),
    ("libsqlite3.so.0", True),
    ("llama_cpp/lib/libllama.so", True),
    ("llama_cpp/lib/libggml-cpu-haswell.so", True),
    ("llama_cpp/lib/libggml-cpu-sapphirerapids.so", False),  # its AMX code ends the program
    ("llama_cpp/lib/ggml-cpu-sapphirerapids.dll", False),
    ("babel/locale-data/de.dat", True),
    ("babel/locale-data/zu.dat", False),
    ("babel/global.dat", True),
    ("trafilatura/settings.cfg", True),
    ("tree_sitter_bash/_binding.abi3.so", True),
    ("resources/commands/git.toml", True),
    ("tld/tests/res/names.txt", False),
    ("pydantic/py.typed", False),
]


@pytest.mark.parametrize(("name", "wanted"), NAMES)
def test_files(name: str, wanted: bool) -> None:
    """Plugins and libraries by list, other libraries of the system never, data of packages yes."""
    assert contents.is_wanted(name) is wanted


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
