"""Definitions written to be read, with which the engine is compared."""
