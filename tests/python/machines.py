"""Other machines, as trees of files below a directory that stands for /."""

from __future__ import annotations

CORES = "sys/devices/system/cpu"
THP = "sys/kernel/mm/transparent_hugepage"
CLOCK = "sys/devices/system/clocksource/clocksource0"

LIMITS = """\
Limit                     Soft Limit           Hard Limit           Units
Max processes             {threads}                96363                processes
Max open files            {files}                20000                files
Max locked memory         8388608              8388608              bytes
Max address space         {space}            unlimited            bytes
"""
INTERRUPTS = """\
           CPU0       CPU1       CPU2       CPU3
 24:          0          0          7          0  PCI-MSIX  0-edge      disk
 25:         10       3000          0          0  PCI-MSIX  1-edge      eth0-rx
 26:          0          0          0          0  PCI-MSIX  1-edge      idle
NMI:          1          1          1          1   Non-maskable interrupts
"""


def limits(threads="96363", files="20000", space="unlimited"):
    """/proc/self/limits."""
    return LIMITS.format(threads=threads, files=files, space=space)


# A server as it should be: four cores of one node, tuned.
GOOD = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Some Xeon\nflags\t\t: fpu avx2 avx512f avx512_vnni amx_int8\n",
    "proc/self/status": "Name:\tx\nVmRSS:\t   1024 kB\nVmSwap:\t  0 kB\nCpus_allowed_list:\t0-3\n",
    "proc/meminfo": "MemTotal:  8388608 kB\nMemAvailable:  4194304 kB\nSwapTotal:  0 kB\n",
    "proc/self/limits": limits(),
    "proc/self/cgroup": "0::/\n",
    "proc/self/mountinfo": "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
    "proc/interrupts": INTERRUPTS,
    "proc/irq/24/smp_affinity_list": "0-3",
    "proc/irq/24/effective_affinity_list": "2",
    "proc/irq/25/smp_affinity_list": "0-1",
    "proc/irq/26/smp_affinity_list": "0",
    "proc/sys/vm/dirty_background_ratio": "0",
    "proc/sys/vm/dirty_background_bytes": "268435456",
    "proc/sys/vm/dirty_ratio": "0",
    "proc/sys/vm/dirty_bytes": "1073741824",
    "proc/sys/vm/swappiness": "60",
    "proc/1/cgroup": "0::/init.scope\n",
    f"{CORES}/online": "0-3",
    **{f"{CORES}/cpu{core}/cpufreq/scaling_governor": "performance" for core in range(4)},
    f"{CORES}/intel_pstate/no_turbo": "0",
    "sys/devices/system/node/node0/cpulist": "0-3",
    f"{THP}/enabled": "always [madvise] never",
    f"{THP}/defrag": "always defer defer+madvise [madvise] never",
    f"{CLOCK}/current_clocksource": "tsc",
    f"{CLOCK}/available_clocksource": "tsc hpet acpi_pm",
    "sys/fs/cgroup/cpu.max": "max 100000",
    "sys/fs/cgroup/cpu.stat": "usage_usec 5\nnr_periods 0\nnr_throttled 0\n",
    "sys/fs/cgroup/memory.max": "max",
    "sys/fs/cgroup/memory.current": "4096",
}


def build(root, changes=None):
    """The good server with some files changed; None removes one."""
    for path, text in (GOOD | (changes or {})).items():
        if text is None:
            continue
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return root
