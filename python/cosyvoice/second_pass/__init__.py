"""A second look at each utterance, by a whole-utterance model in processes of its own.

``pool`` has the workers, ``worker`` keeps one alive and asks it, ``process`` is what runs there, ``whisper`` the model.
"""
