// What the operating system says this process used.
#pragma once

namespace cosyvoice::bench {

/// Processor seconds of all threads so far, user and system.
double cpu_seconds();
/// Resident memory now, in MiB.
double rss_mb();

}  // namespace cosyvoice::bench
