// The inference library behind a plain interface, so that batching, states and timing can be read and tested without
// it.
//
// A Network is the file that was read and checked against its manifest; a NetworkCopy is one compiled copy of it, which
// computes on the thread that calls it, one call at a time. Tensors are numbered: inputs are the features, then the
// counters, then the states; outputs are the log-probabilities, then the states, both in the manifest's order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "bundle/manifest.h"

namespace cosyvoice {

class NetworkCopy {
 public:
  struct Output {
    const std::byte* data = nullptr;  ///< until the next infer()
    std::size_t bytes = 0;            ///< of all rows
  };

  virtual ~NetworkCopy() = default;
  /// Memory of an input for the largest batch of the longest chunk; a smaller one fills its beginning.
  virtual std::byte* input(std::size_t index) noexcept = 0;
  /// Computes `rows` rows of a chunk length of the manifest. Throws what the inference library throws.
  virtual void infer(std::uint32_t chunk_frames, std::uint32_t rows) = 0;
  virtual Output output(std::size_t index) const noexcept = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  /// Thread-safe. Throws Error(kInvalidModel).
  virtual std::unique_ptr<NetworkCopy> compile(std::uint32_t batch_size) const = 0;
};

/// Reads `file`, one of the manifest's networks, with OpenVINO and checks every input, output, state and counter
/// against the manifest. Throws Error(kInvalidModel) naming the file, the tensor, both shapes and the remedy.
std::unique_ptr<Network> read_openvino_network(const Manifest& manifest, const std::string& file);

/// Marks the calling thread as being inside the inference library.
class InferenceMark {
 public:
  InferenceMark() noexcept;
  ~InferenceMark();
  InferenceMark(const InferenceMark&) = delete;
  InferenceMark& operator=(const InferenceMark&) = delete;

 private:
  bool before_;
};

}  // namespace cosyvoice
