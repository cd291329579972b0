// The bundle's manifest: everything the engine knows of a model. Parsed once, here, with yaml-cpp (in the .cc only).
// The keys are described in docs/reference/bundle.md; a missing, unknown or contradicting key throws
// Error(kInvalidModel) whose message names the file, the line, the key, both values and the remedy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cosyvoice {

enum class WindowKind : std::uint8_t { kHann, kHamming, kPovey };
enum class SpectrumKind : std::uint8_t { kPower, kMagnitude };
enum class MelScale : std::uint8_t { kHtk, kSlaney };
enum class MelTriangles : std::uint8_t { kHz, kMel };
enum class MelNorm : std::uint8_t { kNone, kSlaney };
enum class LogKind : std::uint8_t { kLn, kLog10 };
enum class Edges : std::uint8_t { kSnip, kCentred };

struct MelOptions {
  std::uint32_t bins = 0;
  MelScale scale = MelScale::kHtk;
  MelTriangles triangles = MelTriangles::kHz;
  MelNorm norm = MelNorm::kNone;
  double low_hz = 0.0, high_hz = 0.0;
};

struct FeatureOptions {
  std::uint32_t sample_rate = 0;
  double window_ms = 0.0, hop_ms = 0.0;
  std::uint32_t fft = 0;
  WindowKind window = WindowKind::kHann;
  double pre_emphasis = 0.0;
  bool remove_dc = false;
  double input_scale = 1.0;
  SpectrumKind spectrum = SpectrumKind::kPower;
  MelOptions mel;
  LogKind log = LogKind::kLn;
  double floor = 0.0, offset = 0.0, scale = 1.0;
  std::vector<float> cmvn_mean, cmvn_inverse_deviation;  ///< empty: none; else one value a bin
  Edges edges = Edges::kSnip;
  std::uint32_t stack_frames = 1, stack_stride = 1;

  std::uint32_t window_samples() const;  ///< validated to be whole numbers
  std::uint32_t hop_samples() const;
  std::uint32_t dim() const { return mel.bins * stack_frames; }
  double frame_ms() const { return hop_ms * stack_stride; }  ///< from one feature frame to the next
};

enum class ElementType : std::uint8_t { kF32, kF16 };
enum class Advance : std::uint8_t { kReplace, kRing };

struct StateOptions {
  std::string input, output;
  std::vector<std::uint32_t> shape;  ///< of one session; shape[batch_axis] is 1
  std::uint32_t batch_axis = 0;
  ElementType type = ElementType::kF32;
  float initial = 0.0F;
  Advance advance = Advance::kReplace;
  std::uint32_t axis = 0;  ///< ring: the time axis; its window is shape[axis]
};

struct NetworkOptions {
  std::string file;       ///< absolute after loading, as is the next
  std::string int8_file;  ///< the same network in INT8; empty: none
  std::uint32_t output_frame_ms = 0;
  std::uint32_t blank = 0;
  std::vector<std::uint32_t> chunks;  ///< feature frames, rising
  std::uint32_t default_chunk = 0;
  std::uint32_t look_ahead = 0;
  std::uint32_t tail_padding_ms = 0;
  std::string input, output;
  std::vector<std::string> counters;  ///< inputs, i64 of shape [batch]
  std::vector<StateOptions> states;
};

struct Manifest {
  std::string directory, name, language, licence, notes;
  std::int64_t version = 0;
  bool trained = false;
  std::string letter_case, word_boundary;
  std::int32_t emission_offset_ms = 0;
  std::int32_t word_lead_ms = 0;  ///< by which a word has begun before its first piece is seen
  float confidence_scale = 1.0F, confidence_offset = 0.0F;  ///< of the logit of a word's mean probability
  FeatureOptions features;
  NetworkOptions network;
  std::string lm;                   ///< its compiled language model, absolute; empty: none
  std::vector<std::string> tokens;  ///< by id, from tokens.txt

  /// Milliseconds of `frames` feature frames (at the stacked rate).
  std::uint32_t chunk_ms(std::uint32_t frames) const;
  std::uint32_t output_frames(std::uint32_t chunk_frames) const;
  /// Milliseconds in whole output frames.
  std::int32_t whole_frames(std::int32_t ms) const;
};

/// Reads and checks `directory`/model.yaml, tokens.txt and the SHA-256 of every file listed.
/// Throws Error: kModelNotFound, kInvalidModel.
Manifest load_manifest(const std::string& directory);

}  // namespace cosyvoice
