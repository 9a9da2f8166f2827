"""Writes random programs that attack where new code is placed: see README.md."""

from .program import Program

__all__ = ["Program"]
