"""Conversations as hermes-webui keeps and shows them. Knows no run and no socket.

The many fields that mean nothing here have the values that a fresh session of hermes-webui has.
"""

import secrets
import time
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

WORKSPACE = "/home/user/workspace"
MODEL = "scripted"
PROVIDER = "custom:simulator"

_CONSTANT: Json = {
    "pinned": False,
    "archived": False,
    "project_id": None,
    "input_tokens": 0,
    "output_tokens": 0,
    "estimated_cost": None,
    "cache_read_tokens": 0,
    "cache_write_tokens": 0,
    "cache_hit_percent": None,
    "personality": None,
    "compression_anchor_visible_idx": None,
    "compression_anchor_message_key": None,
    "compression_anchor_summary": None,
    "pre_compression_snapshot": False,
    "context_engine": None,
    "compression_anchor_engine": None,
    "compression_anchor_mode": None,
    "compression_anchor_details": {},
    "context_engine_state": {},
    "context_length": None,
    "threshold_tokens": None,
    "last_prompt_tokens": None,
    "post_compression_context_tokens_estimate": None,
    "compression_recovery": {},
    "recommended_recovery_action": None,
    "gateway_routing": None,
    "gateway_routing_history": [],
    "manual_title": False,
    "is_cli_session": False,
    "source_tag": None,
    "raw_source": None,
    "session_source": None,
    "source_label": None,
    "read_only": False,
    "enabled_toolsets": None,
    "composer_draft": {},
    "process_wakeup_pause": {},
    "share_token": None,
    "share_created_at": None,
}

_NOT_LISTED = {
    "compression_anchor_visible_idx",
    "compression_anchor_message_key",
    "compression_anchor_summary",
    "context_engine",
    "compression_anchor_engine",
    "compression_anchor_mode",
    "compression_anchor_details",
    "context_engine_state",
    "threshold_tokens",
    "last_prompt_tokens",
    "post_compression_context_tokens_estimate",
    "compression_recovery",
    "recommended_recovery_action",
    "gateway_routing_history",
    "manual_title",
    "created_workspace",
    "pending_user_message",
    "enabled_toolsets",
    "composer_draft",
    "process_wakeup_pause",
    "share_token",
    "share_created_at",
}
"""Fields of a session that GET /api/sessions leaves out."""

MESSAGES_MAX = 500


@dataclass(slots=True)
class Session:
    """One conversation. Changed only under the world's lock."""

    profile: str
    workspace: str = WORKSPACE
    model: str = MODEL
    model_provider: str | None = PROVIDER
    id: str = field(default_factory=lambda: secrets.token_hex(6))
    title: str = "Untitled"
    messages: list[Json] = field(default_factory=list)
    created_at: float = field(default_factory=time.time)
    updated_at: float = field(default_factory=time.time)
    active_stream_id: str | None = None
    """The run that it works on; a cancelled one stays until it is unwound."""
    pending_message: str | None = None
    pending_started_at: float | None = None
    granted: set[str] = field(default_factory=set)
    """Pattern keys that need no approval any more."""

    def add(self, role: str, content: str, **fields: object) -> None:
        """Append a message."""
        self.messages.append({"role": role, "content": content, "timestamp": time.time(), **fields})
        self.updated_at = time.time()

    def occupy(self, run_id: str, message: str) -> None:
        """A run begins to work on a message."""
        self.active_stream_id = run_id
        self.pending_message = message
        self.pending_started_at = time.time()

    def free(self) -> None:
        """No run works here any more."""
        self.active_stream_id = self.pending_message = self.pending_started_at = None

    def moved(self) -> "Session":
        """The session in which this one goes on after a compression; this one is left free."""
        later = Session(self.profile, self.workspace, self.model, self.model_provider)
        later.title, later.messages, later.granted = self.title, list(self.messages), self.granted
        later.active_stream_id = self.active_stream_id
        later.pending_message = self.pending_message
        later.pending_started_at = self.pending_started_at
        self.free()
        return later

    def summary(self) -> Json:
        """As ``session`` in most answers, without messages."""
        return {
            "session_id": self.id,
            "title": self.title,
            "workspace": self.workspace,
            "model": self.model,
            "model_provider": self.model_provider,
            "message_count": len(self.messages),
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "last_message_at": self.updated_at,
            "profile": self.profile,
            **_CONSTANT,
            "created_workspace": self.workspace,
            "user_message_count": sum(m["role"] == "user" for m in self.messages),
            "active_stream_id": self.active_stream_id,
            "pending_user_message": self.pending_message,
            "has_pending_user_message": self.pending_message is not None,
            "is_streaming": self.active_stream_id is not None,
        }

    def fresh(self) -> Json:
        """As POST /api/session/new gives it."""
        return {**self.summary(), "messages": []}

    def listed(self, attention: Json | None) -> Json:
        """As an entry of GET /api/sessions."""
        kept = {key: value for key, value in self.summary().items() if key not in _NOT_LISTED}
        webui = {"source_tag": "webui", "raw_source": "webui", "session_source": "webui"}
        more: Json = {"source_label": "WebUI", "cron_running": False, "attention": attention}
        if self.active_stream_id:
            more["pending_started_at"] = self.pending_started_at
        return {**kept, **webui, **more}

    def whole(self) -> Json:
        """As in ``done``."""
        return {
            **self.summary(),
            "messages": list(self.messages),
            "tool_calls": self._tool_calls(),
            "regeneration_revision": secrets.token_hex(32),
        }

    def shown(self, with_messages: bool, limit: int | None) -> Json:
        """As GET /api/session gives it."""
        messages = self.messages if with_messages else []
        kept = messages[-limit:] if limit else messages
        shown = {
            **self.whole(),
            "messages": list(kept),
            "pending_attachments": [],
            "pending_started_at": self.pending_started_at,
            "pending_user_source": None,
            "_messages_truncated": len(kept) < len(messages),
            "_messages_offset": len(messages) - len(kept),
            "_msg_limit_max": MESSAGES_MAX,
        }
        if limit or self.active_stream_id:
            del shown["regeneration_revision"]
        return shown

    def status(self) -> Json:
        """As GET /api/session/status gives it."""
        return {
            "session_id": self.id,
            "title": self.title,
            "model": self.model,
            "profile": self.profile,
            "hermes_home": "/home/user/hermes",
            "workspace": self.workspace,
            "personality": None,
            "message_count": len(self.messages),
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "agent_running": self.active_stream_id is not None,
            "active_stream_id": self.active_stream_id,
            "input_tokens": 0,
            "output_tokens": 0,
            "total_tokens": 0,
            "estimated_cost": 0.0,
        }

    def _tool_calls(self) -> list[Json]:
        return [
            {
                "name": call["function"]["name"],
                "snippet": "",
                "tid": call["id"],
                "assistant_msg_idx": index,
                "args": {},
            }
            for index, message in enumerate(self.messages)
            for call in message.get("tool_calls", ())
        ]
