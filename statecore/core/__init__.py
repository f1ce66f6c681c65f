"""Pure Python: scopes, state, deltas, events, replay, templating and the rules around them.

Nothing in here imports Django, a driver or a web framework, and nothing asks the machine for a
time, an id or a random number: those come in as arguments.
"""

from __future__ import annotations
