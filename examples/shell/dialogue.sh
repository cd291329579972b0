#!/bin/sh
# Calls with the agent on the first channel and the customer on the second, as dialogues.
#   dialogue.sh CALL... [OPTION...]
cosyvoice transcribe --channels split --names agent,customer "$@"
