"""What ``cosyvoice evaluate`` is made of.

A manifest names clips (``manifest``). Each system hears them all (``systems``, ``whisper``), and what it heard waits on disk
for the others (``spool``). Reference and hypothesis become comparable (``text``), are aligned (``edits``) and scored (``score``).
The scores are summed up (``tally``, ``bootstrap``) to a report (``evaluation``), which a terminal shows (``view``, ``aligned``).
"""
