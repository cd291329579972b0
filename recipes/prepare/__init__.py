"""Corpora as they are published, unpacked, into manifests: one module for each, ``python -m recipes.prepare.NAME``."""
