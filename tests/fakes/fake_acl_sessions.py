"""The stand-in's part of `wirespeed.seam.acl_session.AclSessionCore`: sessions are what a test puts there."""

from __future__ import annotations

from wirespeed.seam.acl_session import AclSession, AclSessionCounters, AclSessionSettings


class FakeAclSessions:
    def __init__(self) -> None:
        self.session_settings = AclSessionSettings()
        self.session_counters = AclSessionCounters()
        self.sessions: list[AclSession] = []

    def set_acl_sessions(self, settings: AclSessionSettings) -> None:
        self.session_settings = settings

    def acl_session_settings(self) -> AclSessionSettings:
        return self.session_settings

    def acl_session_counters(self) -> AclSessionCounters:
        return self.session_counters

    def acl_interface_sessions(self, index: int) -> tuple[int, int]:
        own = sum(session.interface == index for session in self.sessions)
        return own, 0

    def acl_sessions(self) -> list[AclSession]:
        return self.sessions

    def clear_acl_sessions(self) -> None:
        self.sessions = []
