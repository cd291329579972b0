// Damaged models, made and asked: used by a test with a few thousand inputs and by the program fuzz_lm with millions.
//
// Each input is an exact allocation of its own, so that AddressSanitizer sees a read of one byte too much.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace cosyvoice::testing {

struct FuzzTally {
  std::uint64_t models = 0, opened = 0;  ///< compiled models, and how many of them open() took
  std::uint64_t texts = 0, read = 0;     ///< ARPA texts, and how many of them the builder took
  std::uint64_t scores = 0, faults = 0;  ///< words scored; scores or states that must not be
};

class LmFuzzer {
 public:
  explicit LmFuzzer(std::uint64_t seed);
  /// One input: nine times in ten a compiled model, else an ARPA text. Throws only what no damage may cause.
  void step();
  const FuzzTally& tally() const noexcept { return tally_; }

 private:
  std::string damaged_model();
  std::string damaged_text();
  void ask(const std::string& bytes);
  void build(const std::string& text);
  std::size_t below(std::size_t bound);
  /// A number that borders on something, or any.
  std::uint64_t interesting();

  std::mt19937_64 random_;
  std::vector<std::string> models_, texts_;
  FuzzTally tally_;
};

}  // namespace cosyvoice::testing
