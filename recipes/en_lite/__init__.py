"""``en-lite``: a small Transformer with random weights that proves contracts and speed."""
