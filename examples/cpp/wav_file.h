// The least that reading a 16-bit mono WAV file takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct WavFile {
  std::uint32_t sample_rate = 0;
  std::vector<std::int16_t> samples;
};

/// Throws std::runtime_error that says what is wrong with the file.
WavFile read_wav(const std::string& path);
