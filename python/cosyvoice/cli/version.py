"""``cosyvoice --version``: what runs here. It works where the compiled core cannot be loaded, and says so."""

from __future__ import annotations

import platform


def package_version() -> str:
    """The installed distribution's version, known without the core."""
    from importlib import metadata  # takes longer to load than all else here

    try:
        return metadata.version("cosyvoice-linux")
    except metadata.PackageNotFoundError:
        return "unknown"


def version_text() -> str:
    """The version in the first line, which scripts read, and below it how and with what it was built."""
    here = [
        f"Python    {platform.python_version()} ({platform.python_implementation()})",
        f"platform  {platform.platform()}",
    ]
    try:
        from cosyvoice import _native
    except (ImportError, OSError) as error:
        broken = f"core      cannot be loaded: {error}; `cosyvoice doctor` says more"
        return "\n".join([f"cosyvoice {package_version()}", broken, *here])
    facts = _native.build_facts()
    return "\n".join(
        [
            f"cosyvoice {facts['version']}",
            f"commit    {facts['commit']}",
            f"compiler  {facts['compiler']}, {facts['build_type']}",
            f"OpenVINO  {facts['openvino_loaded']} (compiled with {facts['openvino_compiled']})",
            f"SIMD      {_native.simd_chosen()} of {', '.join(_native.simd_variants())}",
            *here,
        ]
    )
