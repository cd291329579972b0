#!/bin/sh
# Telephone audio without a header, µ-law at 8 kHz, from a pipe.
#   telephone.sh [OPTION...] < CALL.ul
cosyvoice transcribe --raw mulaw --rate 8000 "$@" -
