"""``en``: the Whisper tiny.en encoder turned into a stream, with a CTC head."""
