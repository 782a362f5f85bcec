"""Tools of extensions as tools of the assistant: through the executor, with a result that nobody trusts.

Imported only once an extension is on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from desktop.errors import UserFacing
from desktop.extensions.chain import About, Chain
from desktop.extensions.manifest import ToolDeclaration, ToolParameter
from desktop.extensions.process import CallFailed
from desktop.extensions.reasons import ExtensionReason
from desktop.extensions.registry import Extension
from desktop.gate.verdict import Effect, Flag
from desktop.tools.tool import Parameter, ParameterType, Plan, Tool


class ExtensionTools:
    """Those of all that are on, made again when that has changed. Thread-safe."""

    def __init__(self, chain: Callable[[], Chain | None]) -> None:
        self._chain = chain
        self._made: tuple[tuple[tuple[Extension, ToolDeclaration], ...], tuple[Tool, ...]] = ((), ())

    def __call__(self) -> tuple[Tool, ...]:
        chain = self._chain()
        declared = chain.tools() if chain is not None else ()
        # Compared by value: the tools stay the same objects, and the model's list the same text.
        known, tools = self._made
        if chain is not None and known != declared:
            tools = tuple(extension_tool(chain, extension, tool) for extension, tool in declared)
            self._made = (declared, tools)
        return tools if declared else ()


def extension_tool(chain: Chain, extension: Extension, declared: ToolDeclaration) -> Tool:
    """One tool. It changes nothing here, so it only reads; where its extension may ask hosts, what the model
    hands it can leave this computer, and the gate decides about that.

    What the question to the user says is ours: of the extension it has the names of both and its hosts.
    """
    # What it was given may leave with its next page, so the gate sees a tool that sends.
    hosts = extension.manifest.permissions.hosts
    flags = frozenset({Flag.SENDS}) if hosts else frozenset()

    def plan(**_arguments: Any) -> Plan:
        says = ExtensionReason.TOOL_WORKS.of(name=extension.id)
        if hosts:
            says = ExtensionReason.TOOL_WORKS_AND_SENDS.of(name=extension.id, hosts=", ".join(hosts))
        return Plan(
            ExtensionReason.ASK_TOOL.of(tool=declared.name, name=extension.id),
            says,
            Effect.READ,
            flags,
            parts=hosts,
            source=f"the extension {extension.id}",
            hosts=hosts,
        )

    def run(**arguments: Any) -> str:
        try:
            return chain.call_tool(extension, declared.name, arguments, About())
        except CallFailed as failed:
            failure = ExtensionReason.TOOL_FAILED.of(name=extension.id, why=failed.reason)
            raise UserFacing(failure) from failed

    return Tool(
        declared.name,
        declared.description,
        tuple(map(_parameter, declared.parameters)),
        run,
        Effect.READ,
        flags,
        plan,
        untrusted_result=True,
    )


def _parameter(declared: ToolParameter) -> Parameter:
    return Parameter(declared.name, ParameterType(declared.kind), declared.required, declared.description)
