"""Recordings without transcripts into manifests: segments, what Whisper hears in them, and what is believed of it."""
