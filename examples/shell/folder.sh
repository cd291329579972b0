#!/bin/sh
# A folder of recordings into a folder of transcripts. Stopped half-way? Run it again: it does the rest.
#   folder.sh RECORDINGS TRANSCRIPTS [OPTION...]
recordings=$1 transcripts=$2
shift 2
cosyvoice transcribe --format json --output "$transcripts" "$@" "$recordings"
