"""A list of streams, what older profiles return, and the ways to read one from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirespeed.files import write_atomically
from wirespeed.profiles.instructions import Json, STLError
from wirespeed.profiles.streams import STLStream

# Files are read by modules that build on this one, hence the imports in functions.


class STLProfile:
    def __init__(self, streams: STLStream | list[STLStream] | None = None) -> None:
        listed = streams if isinstance(streams, list) else [] if streams is None else [streams]
        if not all(isinstance(stream, STLStream) for stream in listed):
            raise STLError("STLProfile takes a list of STLStream")
        self._streams = listed

    def get_streams(self) -> list[STLStream]:
        return self._streams

    def __len__(self) -> int:
        return len(self._streams)

    def is_pauseable(self) -> bool:
        return all(stream.get_mode() == "Continuous" for stream in self._streams)

    def has_flow_stats(self) -> bool:
        return any(stream.has_flow_stats() for stream in self._streams)

    def has_custom_mac_addr(self) -> bool:
        return any(stream.has_custom_mac_addr() for stream in self._streams)

    def to_json(self) -> list[Json]:
        return [stream.to_json() for stream in self._streams]

    def dump_to_code(self, profile_file: str | None = None) -> str:
        """A profile file that makes these streams; it is written to `profile_file`, if given."""
        from wirespeed.profiles.code import profile_code  # noqa: PLC0415

        return _written(profile_code(self._streams), profile_file)

    def dump_to_yaml(self, yaml_file: str | None = None) -> str:
        """The streams as `load_yaml` reads them."""
        import yaml  # noqa: PLC0415 - slow, and seldom needed

        return _written(yaml.safe_dump(self.to_json(), sort_keys=False), yaml_file)

    @staticmethod
    def load(filename: str, direction: int = 0, port_id: int = 0, **tunables: Any) -> STLProfile:
        """A profile by the suffix of its file."""
        match Path(filename).suffix:
            case ".py":
                return STLProfile.load_py(filename, direction, port_id, **tunables)
            case ".json":
                return STLProfile.load_json(filename)
            case ".yaml" | ".yml":
                return STLProfile.load_yaml(filename)
            case ".pcap" | ".cap" | ".pcapng":
                return STLProfile(STLProfile.load_pcap(filename, ipg_usec=1e6).get_streams())
        raise STLError(f"profile {filename!r}: its suffix is not one of .py, .json, .yaml, .pcap")

    @staticmethod
    def load_py(python_file: str, direction: int = 0, port_id: int = 0, **tunables: Any) -> STLProfile:
        from wirespeed.profiles.script import run_profile_file  # noqa: PLC0415

        words = {name: str(value) for name, value in tunables.items()}
        return STLProfile(run_profile_file(Path(python_file), words, port_id, direction))

    @staticmethod
    def load_json(json_file: str) -> STLProfile:
        from wirespeed.profiles import plain  # noqa: PLC0415

        return STLProfile(plain.load_json(Path(json_file)))

    @staticmethod
    def load_yaml(yaml_file: str) -> STLProfile:
        from wirespeed.profiles import plain  # noqa: PLC0415

        return STLProfile(plain.load_yaml(Path(yaml_file)))

    @staticmethod
    def load_pcap(pcap_file: str, *arguments: Any, **more: Any) -> Any:
        """One profile, or with `split_mode` "MAC" or "IP" two: the packets of each side."""
        from wirespeed.profiles import packet_files  # noqa: PLC0415

        loaded = packet_files.load_pcap(Path(pcap_file), *arguments, **more)
        return STLProfile(loaded) if isinstance(loaded, list) else tuple(STLProfile(side) for side in loaded)


def _written(text: str, file: str | None) -> str:
    if file is not None:
        write_atomically(Path(file), text, "profile")
    return text
