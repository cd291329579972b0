#!/bin/sh
# Prints the first Python that is new enough.
for python in python3 python3.13 python3.12 python3.11 python3.14; do
  if command -v "$python" > /dev/null 2>&1 && "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
    echo "$python"
    exit 0
  fi
done
echo "no Python 3.11 or newer was found; make PYTHON=/path/to/python" >&2
exit 1
