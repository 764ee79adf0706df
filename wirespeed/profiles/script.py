"""Runs a T-Rex profile file without T-Rex.

While the file runs, `trex.stl.api` and `trex_stl_lib.api` are modules of ours that offer T-Rex's names over
scapy, unless the real ones are imported already. They go away when it is done.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import re
import sys
import traceback
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from wirespeed.errors import EnvironmentFault, FileFault, UsageError
from wirespeed.profiles import addresses, field_program, instructions, packet, stl_profile, streams, trex_client
from wirespeed.profiles.packet import PROFILE_DIRECTORY
from wirespeed.profiles.reading import read_profile
from wirespeed.scapy_layers import trex_defaults

_PARTS = ("api", "trex_stl_hltapi", "trex_stl_packet_builder_scapy", "trex_stl_streams")
_MODULES = {
    "trex": (
        "trex",
        "trex.common",
        "trex.common.trex_exceptions",
        "trex.stl",
        *(f"trex.stl.{part}" for part in _PARTS),
    ),
    "trex_stl_lib": ("trex_stl_lib", *(f"trex_stl_lib.{part}" for part in _PARTS)),
}
"""Each of the parts offers every name: old files import from the part, newer ones from api."""
_LIBRARY = "argparse base64 binascii cProfile json math os pstats pwd random re socket string struct sys time yaml"
"""Modules that come with T-Rex's names; files use them without importing them."""
_API = {
    addresses: (
        "increase_ip increase_mac int2ip int2mac int2str ip2int ipv4_str_to_num is_valid_ipv4 is_valid_ipv4_ret "
        "is_valid_ipv6 is_valid_mac mac_str_to_num orb str2bytes str2int str2ip"
    ),
    field_program: "CTRexScRaw STLIPRange STLScVmRaw STLVM",
    instructions: (
        "CTRexPacketBuildException CTRexVmInsFixHwCs STLError STLTypeError STLVmFixChecksumHw STLVmFixIcmpv6 "
        "STLVmFixIpv4 STLVmFlowVar STLVmFlowVarRepeatableRandom STLVmTrimPktSize STLVmTupleGen STLVmWrFlowVar "
        "STLVmWrMaskFlowVar TRexArgumentError TRexError TRexTimeoutError TRexTypeError"
    ),
    packet: "STLPktBuilder",
    stl_profile: "STLProfile",
    trex_client: "STLHltStream",
    streams: (
        "STLFlowLatencyStats STLFlowStats STLStream STLStreamDstMAC_ARP STLStreamDstMAC_CFG_FILE "
        "STLStreamDstMAC_PKT STLTaggedPktGroup STLTXCont STLTXMode STLTXMultiBurst STLTXSingleBurst"
    ),
}


def run_profile_file(path: Path, tunables: dict[str, str], port_id: int, direction: int) -> list[Any]:
    """The streams that the file's `register().get_streams(…)` returns.

    Tunables reach it in T-Rex's two styles: as `tunables`, a list of words for an argument parser, and as
    keywords. What the file prints goes to stderr, so that a table on stdout stays one.
    """
    found = _asked(path, tunables, "get_streams", {"port_id": port_id, "direction": direction})
    return list(_flattened(path, found))


def load_tags(name: str, tunables: dict[str, str]) -> list[Any]:
    """The tags of tagged packet groups, as requests have them: those of a JSON file, or of what the Python file's
    `register().get_tpg_conf(…)` returns. FileFault or UsageError where there are none."""
    path = Path(name)
    try:
        tags = json.loads(read_profile(path)) if path.suffix == ".json" else _asked(path, tunables, "get_tpg_conf", {})
    except ValueError as error:
        raise FileFault(f"{path}: is not JSON: {error}") from None
    if not isinstance(tags, list):
        raise UsageError(f"{path}: has no list of tags")
    return tags


def _asked(path: Path, tunables: dict[str, str], method: str, where: dict[str, int]) -> Any:
    source = read_profile(path)
    complaints = io.StringIO()
    with trex_defaults(), _trex_modules(), _working_in(path.parent.resolve()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with contextlib.redirect_stdout(sys.stderr):
                profile = _register(path, source, method)
                call = _arguments(getattr(profile, method), tunables, where)
                with contextlib.redirect_stderr(complaints):
                    return getattr(profile, method)(**call)
        except SystemExit as stop:
            if not stop.code and "help" in tunables:
                raise UsageError(f"profile {path}: its help is above; leave out the tunable help to send it") from None
            raise UsageError(_parser_message(path, complaints.getvalue(), stop.code)) from None
        except UsageError as error:
            raise UsageError(f"profile {path}{_line_in(path, error)}: {error}") from None
        except SyntaxError as error:
            raise UsageError(f"profile {path}, line {error.lineno}: {error.msg}") from None
        except EnvironmentFault:
            raise
        except Exception as error:
            if missing := trex_client.missing_name(error):
                raise EnvironmentFault(f"profile {path}{_line_in(path, error)}: {missing}") from None
            raise UsageError(f"profile {path}{_line_in(path, error)}: {type(error).__name__}: {error}") from error


def _register(path: Path, source: bytes, method: str) -> Any:
    try:
        code = compile(source, str(path), "exec")
    except ValueError as error:
        raise UsageError(f"is not a Python file: {error}") from None
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(code, module.__dict__)
    register = getattr(module, "register", None)
    if not callable(register):
        raise UsageError("defines no register(); a T-Rex profile returns its traffic class from there")
    profile = register()
    if not callable(getattr(profile, method, None)):
        raise UsageError(f"register() returned no object with a {method}() method")
    return profile


def _arguments(method: Any, tunables: dict[str, str], where: dict[str, int]) -> dict[str, Any]:
    """Arguments for the parameters that the method has; old files lack some of `where`."""
    parameters = inspect.signature(method).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    call: dict[str, Any] = {name: value for name, value in where.items() if takes_any or name in parameters}
    if "tunables" in parameters:
        return call | {"tunables": [word for key, value in tunables.items() for word in (f"--{key}", value)]}
    own = [name for name, parameter in parameters.items() if parameter.kind is not parameter.VAR_KEYWORD]
    own = [name for name in own if name not in where]
    unknown = [key for key in tunables if key not in own]
    if unknown and (own or not takes_any):
        known = f"it takes {', '.join(own)}" if own else "it takes none"
        raise UsageError(f"no tunable {unknown[0]!r}; {known}")
    return call | {key: _value(text) for key, text in tunables.items()}


def _value(text: str) -> int | float | str:
    """Old-style tunables arrive as numbers where they read as numbers."""
    with contextlib.suppress(ValueError):
        return int(text, 0)
    with contextlib.suppress(ValueError):
        return float(text)
    return text


def _flattened(path: Path, produced: Any) -> Iterator[Any]:
    """Streams out of a list, a profile or a single stream."""
    if callable(getattr(produced, "get_streams", None)):
        produced = produced.get_streams()
    for stream in produced if isinstance(produced, list | tuple) else [produced]:
        if not callable(getattr(stream, "to_json", None)):
            raise UsageError(f"profile {path}: get_streams returned {type(stream).__name__}, not an STLStream")
        yield stream


def _parser_message(path: Path, printed: str, code: object) -> str:
    """One line out of what an argument parser prints before it ends the program."""
    error = re.search(r"error: (.*)", printed, re.DOTALL)
    options = sorted(set(re.findall(r"--([\w-]+)", printed.partition("error:")[0])) - {"help"})
    what = " ".join(error[1].split()) if error else f"the file ended the program ({code})"
    return f"profile {path}: {what}" + (f"; its tunables are {', '.join(options)}" if options else "")


def _line_in(path: Path, error: BaseException) -> str:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {lines[-1]}" if lines else ""


@contextlib.contextmanager
def _working_in(directory: Path) -> Iterator[None]:
    """Files next to the profile can be imported and read by it."""
    PROFILE_DIRECTORY.append(directory)
    sys.path.insert(0, str(directory))
    try:
        yield
    finally:
        sys.path.remove(str(directory))
        PROFILE_DIRECTORY.pop()


@contextlib.contextmanager
def _trex_modules() -> Iterator[None]:
    """`trex.stl.api` and `trex_stl_lib.api` for the time of the block, unless the real ones are there."""
    tops = tuple(top for top in _MODULES if top not in sys.modules)
    api = _api_names() if tops else {}
    folder = trex_client.client_folder()
    offering = []
    for name in (name for top in tops for name in _MODULES[top]):
        sys.modules[name] = module = ModuleType(name)
        parent, _, last = name.rpartition(".")
        there = folder is not None and parent in ("", "trex") and last not in _PARTS and not name.startswith("trex_")
        module.__path__ = [str(folder.joinpath(*name.split(".")[1:]))] if there and folder is not None else []
        if last in (*_PARTS, "trex_exceptions"):
            module.__dict__.update(api)
            offering.append(module)
        if parent:
            setattr(sys.modules[parent], last, module)
    try:
        found = trex_client.client_names() if "trex" in tops else {}
        for module in offering:
            module.__dict__.update({name: value for name, value in found.items() if name not in module.__dict__})
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] in tops]:
            del sys.modules[name]


def _api_names() -> dict[str, Any]:
    """Names that `from trex.stl.api import *` gives a profile: all of scapy, and T-Rex's classes over it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import scapy.all  # noqa: PLC0415 - 0.4 s that only profile files need
        import scapy.arch  # noqa: PLC0415 - as above; T-Rex's scapy gave its names away too
    names = {name: value for name, value in vars(scapy.arch).items() if not name.startswith("_")}
    names |= {name: value for name, value in vars(scapy.all).items() if not name.startswith("_")}
    names |= {"OrderedDict": OrderedDict, "basestring": str, "range": range, "zip": zip, "using_python_3": True}
    names |= {name: importlib.import_module(name) for name in _LIBRARY.split()}
    for module, listed in _API.items():
        names |= {name: getattr(module, name) for name in listed.split()}
    return names
