"""The keys that the explore page's link may say."""

from __future__ import annotations

from nnspca.view.session import state

KEYS = state.keys_of("explore")
