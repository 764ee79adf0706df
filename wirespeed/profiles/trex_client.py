"""Parts of T-Rex's own Python client (extra `trex`) for profiles: HLT streams, and the small functions of its star
import. The client's files run with wirespeed's replacements for the rest of T-Rex's API."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from wirespeed.errors import EnvironmentFault

_NAMES = (
    "CTRexScFieldRangeBase CTRexScFieldRangeValue CTRexScIpv4SimpleRange CTRexScIpv4TupleGen CTRexScTrimPacketSize "
    "CTRexScriptsBase PassiveTimer all_none bitfield_to_list bitfield_to_str calc_bps_L1 compress_ipv6 filter_none "
    "generate_ipv6 generate_ipv6_solicited_node get_current_user get_number has_dup increase_ipv6 int2ipv6 ipv62int "
    "is_integer is_sub_list is_valid_ipv6_ret list_difference list_intersect list_remove_dup list_xor listify "
    "listify_if_int multicast_mac_from_ipv6 natural_sorted_key parse_ports_from_profiles random_id_gen round_float "
    "safe_ord sec_split_usec try_int user_input validate_type verify_exclusive_arg"
)
"""Names of the star import that are the client's."""
_MISSING = (
    "is in T-Rex's own client, which is not installed: pip install 'wirespeed[trex]', or tools/setup.sh trex in a "
    "checkout"
)
_MODULES = ("trex.utils.common", "trex.common.trex_types")
_PACKET_BUILDER, _HLT_API = "trex_stl_packet_builder_scapy", "trex_stl_hltapi"


def client_folder() -> Path | None:
    """The client's package `trex`; None where the extra is not installed. Imports nothing."""
    found = find_spec("lbr_trex_client")
    places = found.submodule_search_locations if found is not None else None
    return Path(next(iter(places))) / "interactive" / "trex" if places else None


def client_names() -> dict[str, Any]:
    """The client's small functions, while `trex` and `trex.stl` are ours; nothing without the extra."""
    if client_folder() is None:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its first import compiles it, and it has escapes that Python warns of
        found = [item for module in _MODULES for item in vars(import_module(module)).items()]
    builder = vars(_part(_PACKET_BUILDER))
    return {name: value for name, value in found if not name.startswith("_")} | {
        name: builder[name] for name in _NAMES.split() if name in builder
    }


def missing_name(error: BaseException) -> str:
    """The package to install if a profile needs a name of the client; "" for other errors."""
    wanted = error.name if isinstance(error, NameError | ImportError) else None
    words = str(error).split("'")
    if client_folder() is None and not {wanted, *words[1:2]}.isdisjoint(_NAMES.split()):
        return f"{words[1]} {_MISSING}"
    return ""


def STLHltStream(**arguments: Any) -> Any:  # noqa: N802 - T-Rex's name
    """One stream of the arguments of T-Rex's HLT API, or with `length_mode="imix"` a list of them. EnvironmentFault
    without the extra."""
    if client_folder() is None:
        raise EnvironmentFault(f"STLHltStream {_MISSING}")
    return _part(_HLT_API).STLHltStream(**arguments)


def _part(name: str) -> ModuleType:
    """The client's own file of a part of `trex.stl`, beside ours of that name."""
    folder, own = client_folder(), f"trex.stl.client_{name}"
    if own not in sys.modules:
        assert folder is not None
        spec = spec_from_file_location(own, folder / "stl" / f"{name}.py")
        assert spec is not None and spec.loader is not None
        sys.modules[own] = module_from_spec(spec)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as above
            spec.loader.exec_module(sys.modules[own])
    return sys.modules[own]
