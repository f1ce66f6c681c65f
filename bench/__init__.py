"""Benchmarks: whole acts against a peer or a floor, interleaved, as ratios with their spread."""

from __future__ import annotations
