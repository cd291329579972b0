// A network small enough to work out by hand, built with OpenVINO's operations and saved as a file.
//
// Features are [batch, chunk + 1, 2] (one frame of look-ahead); every second frame of the chunk gives an output frame.
// With x[t] an output frame's features, for a row:
//   out[t] = { x[t][0] + Σ_age past[age][0] · {1, 10, 100},   position + sum[0] + look_ahead[1],   Σ_k halves[1][k] ·
//   {1…5} } sum_next = sum + Σ_t x[t];   past_new = x (window 3, axis 0, batch axis 1);   halves_new = x (f16, window
//   5, axis 2)
#pragma once

#include <memory>
#include <string>

#include "bundle/manifest.h"

namespace ov {
class Model;
}

namespace cosyvoice::testing {

constexpr std::uint32_t kTinyVocabulary = 3;
constexpr float kPastInitial = 0.5F;

/// Two chunk lengths, 4 and 8; `file` may be empty.
Manifest tiny_manifest(const std::string& file);
std::shared_ptr<ov::Model> tiny_model();
/// Adds 1 to its outputs by a constant of two frames, so it takes chunks of 4 feature frames alone.
std::shared_ptr<ov::Model> tiny_model_of_one_length();
void save(const std::shared_ptr<ov::Model>& model, const std::string& file);

}  // namespace cosyvoice::testing
