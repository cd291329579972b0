"""How the networks in ``python/cosyvoice/models`` were made."""
