"""What the doctor says of machines: each finding both ways, files that are missing, files that make no sense."""

from __future__ import annotations

import os

import pytest
from machines import CLOCK, CORES, GOOD, THP, build, limits

from cosyvoice.config import EngineConfig
from cosyvoice.doctor import clock, container, cpu, dirty_pages, huge_pages, memory, nodes, power, trial
from cosyvoice.doctor import limits as process
from cosyvoice.doctor.core import Core, load_core
from cosyvoice.doctor.files import parse_cpus, show_bytes, show_cpus
from cosyvoice.doctor.settings import Settings, allowed_cores

MODEL = trial.Trial(model=object(), state_bytes=1 << 20, network_bytes=100 << 20)  # only its sizes are read


def findings(root, needed=None, core=None, **options):
    """All findings that come from the machine's files, by name."""
    settings = Settings(vars(EngineConfig(**options)), allowed_cores(root))
    core = core or load_core()
    parts = memory.session_parts(settings, core, MODEL)
    found = [
        *cpu.look(root, settings, core),
        *memory.look(root, settings, parts, MODEL, memory.room(root)),
        *process.look(root, settings, needed),
        *huge_pages.look(root, settings),
        *power.look(root, settings),
        *dirty_pages.look(root),
        *nodes.look(root, settings),
        *clock.look(root),
        *container.look(root),
    ]
    return {one.name: one for one in found}


def test_a_tuned_server_needs_nothing(tmp_path):
    found = findings(build(tmp_path))
    assert {name: one.says for name, one in found.items() if one.level != "good"} == {}
    assert found["cpu.model"].value == {"name": "Some Xeon", "virtual": False}
    assert found["cpu.extensions"].says == "has avx2, avx512, vnni, amx; lacks nothing"
    assert found["cpu.workers"].value == {"workers": 4}


V1 = {
    "proc/self/cgroup": "4:memory:/app\n2:cpu,cpuacct:/app\n0::/\n",
    "proc/self/mountinfo": "31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
    "sys/fs/cgroup/cpu,cpuacct/app/cpu.stat": "nr_periods 50\nnr_throttled 9\nthrottled_time 1\n",
    "sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us": "150000",
    "sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us": "100000",
    "sys/fs/cgroup/memory/app/memory.limit_in_bytes": str(200 << 20),
    "sys/fs/cgroup/memory/app/memory.usage_in_bytes": str(50 << 20),
}
TWO_NODES = {"sys/devices/system/node/node0/cpulist": "0-2", "sys/devices/system/node/node1/cpulist": "3"}

# What is changed of the good server, the options, and the finding that follows: name, level, a part of what it says, a part
# of the command.
CASES = [
    ({"proc/cpuinfo": "model name : QEMU\nflags : fpu hypervisor avx2"}, {}, "cpu.model", "good", "virtual machine", None),
    ({"proc/cpuinfo": "model name : Old\nflags : fpu sse2"}, {}, "cpu.extensions", "advice", "Without AVX2", None),
    ({"sys/fs/cgroup/cpu.max": "250000 100000"}, {}, "cpu.cores", "advice", "quota is 2.5", "MACHINE_WORKERS=2"),
    ({"sys/fs/cgroup/cpu.max": "250000 100000"}, {"workers": 2}, "cpu.cores", "good", "4 of 4", None),
    ({"sys/fs/cgroup/cpu.max": "400000 100000"}, {}, "cpu.cores", "good", "4 of 4", None),
    ({"sys/fs/cgroup/cpu.stat": "nr_periods 9\nnr_throttled 3"}, {}, "cpu.throttling", "advice", "3 of 9", "CPUQuota"),
    ({"sys/fs/cgroup/cpu.stat": "nr_periods 9\nnr_throttled 0"}, {}, "cpu.throttling", "good", "never", None),
    (V1, {}, "cpu.throttling", "advice", "9 of 50", "CPUQuota"),
    (V1, {}, "cpu.cores", "advice", "quota is 1.5", "MACHINE_WORKERS=1"),
    (V1, {}, "memory.room", "problem", "150.0 MiB left to the control group", "ENGINE_MAX_STREAM="),
    ({}, {"simd": "baseline"}, "cpu.simd", None, "baseline", None),
    ({}, {"workers": 8}, "cpu.workers", "advice", "8 on 4 cores", "MACHINE_WORKERS=0"),
    ({}, {"workers": 3}, "cpu.workers", "good", "3, for 4 cores", None),
    ({"proc/meminfo": "MemAvailable: 307200 kB\nSwapTotal: 0 kB"}, {}, "memory.room", "problem", "300.0 MiB avail", "_STREAM="),
    ({"proc/meminfo": "MemAvailable: 378880 kB\nSwapTotal: 0 kB"}, {}, "memory.room", "advice", "370.0 MiB avail", "_STREAM="),
    ({"proc/meminfo": "MemAvailable: 1024 kB\nSwapTotal: 0 kB"}, {}, "memory.room", "problem", "0 sessions fit", None),
    ({"sys/fs/cgroup/memory.max": str(1 << 40)}, {}, "memory.room", "good", "4.0 GiB available", None),
    ({"sys/fs/cgroup/memory.max": "20480"}, {}, "memory.room", "problem", "16 KiB left to the control group", None),
    ({"proc/meminfo": "SwapTotal: 1048576 kB"}, {}, "memory.swap", "advice", "1.0 GiB, swappiness 60", "vm.swappiness=10"),
    ({"proc/meminfo": "SwapTotal: 1048576 kB", "proc/sys/vm/swappiness": "5"}, {}, "memory.swap", "good", "swappiness 5", None),
    ({"proc/self/limits": limits(files="256")}, {}, "limits.open_files", "advice", "make 384", "LimitNOFILE=384"),
    ({"proc/self/limits": limits(files="unlimited")}, {}, "limits.open_files", "good", "unlimited", None),
    ({"proc/self/limits": limits(threads="40")}, {}, "limits.threads", "advice", "make 68", "ulimit -u 68"),
    ({f"{THP}/enabled": "[always] madvise never"}, {}, "tuning.huge_pages", "advice", "always", "echo madvise | sudo tee /sys"),
    ({f"{THP}/enabled": "always madvise [never]"}, {"huge_pages": True}, "tuning.huge_pages", "advice", "never", "madvise"),
    ({f"{THP}/enabled": "always madvise [never]"}, {}, "tuning.huge_pages", "good", "never", None),
    ({}, {"huge_pages": True}, "tuning.huge_pages", "good", "asks for them", None),
    ({f"{THP}/defrag": "[always] defer never"}, {}, "tuning.defrag", "advice", "always", "echo madvise | sudo tee /sys"),
    ({f"{CORES}/cpu3/cpufreq/scaling_governor": "powersave"}, {}, "tuning.governor", "advice", "save on cores 3", "cpupower"),
    ({f"{CORES}/cpu3/cpufreq/scaling_governor": "powersave"}, {"cpus": "0-2"}, "tuning.governor", "good", "cores 0-2", None),
    ({f"{CORES}/intel_pstate/no_turbo": "1"}, {}, "tuning.turbo", "advice", "off", "echo 0 | sudo tee /sys"),
    ({f"{CORES}/intel_pstate/no_turbo": None, f"{CORES}/cpufreq/boost": "0"}, {}, "tuning.turbo", "advice", "off", "echo 1 "),
    ({f"{CORES}/intel_pstate/no_turbo": None, f"{CORES}/cpufreq/boost": "1"}, {}, "tuning.turbo", "good", "on", None),
    ({"proc/sys/vm/dirty_background_bytes": "0", "proc/sys/vm/dirty_background_ratio": "50"}, {}, "tuning.dirty_background",
     "advice", "2.0 GiB", "vm.dirty_background_bytes=268435456"),
    ({"proc/sys/vm/dirty_background_bytes": "0", "proc/sys/vm/dirty_background_ratio": "10"}, {}, "tuning.dirty_background",
     "good", "409.6 MiB", None),
    ({"proc/sys/vm/dirty_bytes": "8589934592"}, {}, "tuning.dirty", "advice", "8.0 GiB", "vm.dirty_bytes=1073741824"),
    (TWO_NODES, {}, "tuning.numa", "advice", "2 memory nodes", "COSYVOICE_MACHINE_CPUS=0-2 numactl --cpunodebind=0"),
    (TWO_NODES, {"cpus": "3"}, "tuning.numa", "good", "belong to one", None),
    ({}, {"cpus": "0-1"}, "tuning.interrupts", "advice", "25 (eth0-rx)", "echo 2-3 | sudo tee /proc/irq/25/smp_affinity_list"),
    ({}, {"cpus": "3"}, "tuning.interrupts", "good", "come to other cores (0-2)", None),
    ({}, {"cpus": "2"}, "tuning.interrupts", "advice", "24 (disk)", "echo 0-1,3 | sudo tee /proc/irq/24/"),
    ({}, {"cpus": "0-3"}, "tuning.interrupts", "good", "no others", None),
    ({f"{CLOCK}/current_clocksource": "hpet"}, {}, "tuning.clock", "advice", "tsc does not", "echo tsc | sudo tee /sys"),
    ({f"{CLOCK}/current_clocksource": "xen", f"{CLOCK}/available_clocksource": "xen"}, {}, "tuning.clock", "advice",
     "nothing faster", None),
    ({f"{CLOCK}/current_clocksource": "kvm-clock"}, {}, "tuning.clock", "good", "kvm-clock", None),
    ({}, {}, "machine.container", "good", "none", None),
    ({".dockerenv": ""}, {}, "machine.container", "good", "docker", None),
    ({"run/.containerenv": ""}, {}, "machine.container", "good", "podman", None),
    ({"run/systemd/container": "systemd-nspawn\n"}, {}, "machine.container", "good", "systemd-nspawn", None),
    ({"proc/1/cgroup": "2:cpu:/kubepods/pod1"}, {}, "machine.container", "good", "kubepods", None),
    ({"var/run/secrets/kubernetes.io/token": ""}, {}, "machine.container", "good", "kubernetes", None),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "options", "name", "level", "says", "command"), CASES)
def test_findings(tmp_path, changes, options, name, level, says, command):
    found = findings(build(tmp_path, changes), **options)[name]
    assert level in (None, found.level), found
    assert says in found.says
    if level != "good" and command is None:
        return
    assert (found.command is None) == (command is None), found
    assert (command or "") in (found.command or "")


def test_a_narrower_simd_is_told(tmp_path):
    variants = load_core().native.simd_variants()
    found = findings(build(tmp_path), simd="baseline")["cpu.simd"]
    assert found.level == ("advice" if len(variants) > 1 else "good")


def test_address_space(tmp_path):
    root = build(tmp_path, {"proc/self/limits": limits(space="1048576")})
    assert findings(root, needed=1048576)["limits.address_space"].level == "good"
    found = findings(root, needed=1048577)["limits.address_space"]
    assert (found.level, found.command) == ("problem", "ulimit -v unlimited")


# ---- what cannot be read

FACTS = {"cpu.throttling", "cpu.simd", "machine.container", "memory.session"}  # known without any file, or good without


def test_an_empty_machine_is_not_visible(tmp_path):
    found = findings(tmp_path)
    assert {name for name, one in found.items() if one.level != "unseen"} == FACTS


@pytest.mark.parametrize("garbage", ["", "\0\xff\n\n:::", "[", "99999999999999999999999", "a b c\n1 2 3\n", "-1", "0-"])
def test_garbage_stops_nobody(tmp_path, garbage):
    found = findings(build(tmp_path, dict.fromkeys(GOOD, garbage)))
    assert not [one for one in found.values() if one.level == "problem"]
    assert {"cpu.cores", "memory.room", "limits.open_files", "tuning.governor"} <= set(found)


@pytest.mark.parametrize("path", sorted(GOOD))
def test_each_file_may_be_missing(tmp_path, path):
    found = findings(build(tmp_path, {path: None}))
    assert {one.level for one in found.values()} <= {"good", "unseen"}


def test_directories_in_the_place_of_files(tmp_path):
    for path in GOOD:
        (tmp_path / path).mkdir(parents=True, exist_ok=True)
    assert not [one for one in findings(tmp_path).values() if one.level in ("advice", "problem")]


def test_nothing_is_changed(tmp_path):
    build(tmp_path)
    before = {path: path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()}
    for folder, _, files in os.walk(tmp_path):
        for name in files:
            os.chmod(os.path.join(folder, name), 0o444)  # noqa: PTH101, PTH118
    findings(tmp_path)
    assert {path: path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()} == before


def test_without_the_core(tmp_path):
    found = findings(build(tmp_path), core=Core(error="no"))
    assert {name for name, one in found.items() if one.level != "good"} == {"cpu.simd", "memory.session", "memory.room"}


# ---- control groups


def test_a_parent_limits_too(tmp_path):
    root = build(tmp_path, {
        "proc/self/cgroup": "0::/a/b\n",
        "sys/fs/cgroup/a/cpu.max": "100000 100000",
        "sys/fs/cgroup/a/b/cpu.max": "300000 100000",
        "sys/fs/cgroup/a/b/cpu.stat": "nr_periods 4\nnr_throttled 1",
    })  # fmt: skip
    found = findings(root)
    assert found["cpu.cores"].value["quota"] == 1.0
    assert found["cpu.throttling"].value == {"throttled": 1, "periods": 4}


def test_a_path_of_the_host_that_is_not_mounted_here(tmp_path):
    changes = {"proc/self/cgroup": "0::/../../docker/abc\n", "sys/fs/cgroup/cpu.max": "100000 100000"}
    assert findings(build(tmp_path, changes))["cpu.cores"].value["quota"] == 1.0


def test_the_unlimited_of_version_1(tmp_path):
    changes = V1 | {
        "sys/fs/cgroup/memory/app/memory.limit_in_bytes": "9223372036854771712",
        "sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us": "-1",
    }
    found = findings(build(tmp_path, changes))
    assert found["memory.room"].says.count("available") == 1
    assert found["cpu.cores"].value["quota"] is None


# ---- lists and sizes


@pytest.mark.parametrize(
    ("text", "cores"), [("0-3,8", {0, 1, 2, 3, 8}), ("5", {5}), ("", None), ("a", None), ("1-", None)]
)
def test_lists_of_cores(text, cores):
    assert parse_cpus(text) == cores
    if cores:
        assert show_cpus(cores) == text


def test_sizes():
    assert [show_bytes(n) for n in (2048, 3 << 20, 5 << 30)] == ["2 KiB", "3.0 MiB", "5.0 GiB"]
