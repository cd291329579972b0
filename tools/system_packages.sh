#!/bin/sh
# The system packages that building needs: installs what is missing when root, else says how to.
#   tools/system_packages.sh             for building
#   tools/system_packages.sh --tests     for the examples in Go and Node.js, whose tests are left out where these lack
set -eu
python=${PYTHON:-$("$(dirname "$0")/find_python.sh" 2> /dev/null || true)}

missing=""
want() {
  dpkg-query -W -f '${Status}' "$1" 2> /dev/null | grep -q "install ok installed" || missing="$missing $1"
}

if ! command -v dpkg-query > /dev/null; then
  echo "This is not a Debian-like system: CMake will say which of yaml-cpp, libsodium, doctest, ninja is missing."
  exit 0
fi
if [ "${1:-}" = --tests ]; then
  # By command, since many have them from elsewhere. Debian's npm brings Debian's node, so it only joins that one.
  command -v go > /dev/null || want golang-go
  case $(command -v node || true) in
    "") want nodejs; want npm ;;
    /usr/bin/node) command -v npm > /dev/null || want npm ;;
  esac
else
  for package in g++ cmake ninja-build libyaml-cpp-dev libsodium-dev doctest-dev; do
    want "$package"
  done
  if [ -z "$python" ]; then
    for package in python3 python3-dev python3-venv; do
      want "$package"
    done
  else
    "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' || want python3-dev
    "$python" -c 'import ensurepip, venv' 2> /dev/null || want python3-venv
  fi
fi

[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "Some system packages are missing. Please run once:" >&2
  echo "  sudo apt-get install$missing" >&2
  [ "${1:-}" = --tests ] || exit 1
  exit 0  # without them a few tests are left out
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086  # a list of names
apt-get install -y --no-install-recommends $missing || { apt-get update && apt-get install -y --no-install-recommends $missing; }
