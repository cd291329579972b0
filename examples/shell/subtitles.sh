#!/bin/sh
# Subtitles beside a recording: meeting.wav gets meeting.vtt.
#   subtitles.sh RECORDING [OPTION...]
recording=$1
shift
cosyvoice transcribe --format vtt "$@" "$recording" > "${recording%.*}.vtt"
