// fuzz_lm [SECONDS [INPUTS [SEED]]]: damaged language models until either is reached, whichever comes first.
// `make fuzz` builds it with AddressSanitizer and UBSan, which end it at the first fault.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "lm/fuzz.h"

int main(int count, char** values) {
  const double seconds = count > 1 ? std::strtod(values[1], nullptr) : 600.0;
  const std::uint64_t inputs = count > 2 ? std::strtoull(values[2], nullptr, 10) : 1'000'000;
  const std::uint64_t seed = count > 3 ? std::strtoull(values[3], nullptr, 10) : 1;
  cosyvoice::testing::LmFuzzer fuzzer(seed);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::uint64_t done = 0;
  for (; done < inputs && elapsed() < seconds; ++done) fuzzer.step();
  const cosyvoice::testing::FuzzTally& tally = fuzzer.tally();
  std::cout << done << " inputs in " << elapsed() << " s, seed " << seed << ": of " << tally.models << " models "
            << tally.opened << " opened, " << tally.scores << " words scored; of " << tally.texts << " ARPA texts "
            << tally.read << " were good; " << tally.faults << " faults\n";
  return tally.faults == 0 ? 0 : 1;
}
