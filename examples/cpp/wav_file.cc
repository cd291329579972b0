#include "wav_file.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace {

constexpr std::uint16_t kPcm = 1;

std::uint32_t little_endian(const std::vector<char>& bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[at + i])) << (8 * i);
  return value;
}

bool tag_is(const std::vector<char>& bytes, std::size_t at, const char* tag) {
  return std::memcmp(&bytes[at], tag, 4) == 0;
}

}  // namespace

WavFile read_wav(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < 12 || !tag_is(bytes, 0, "RIFF") || !tag_is(bytes, 8, "WAVE"))
    throw std::runtime_error(path + ": is no WAV file");

  WavFile wav;
  std::size_t at = 12;
  while (at + 8 <= bytes.size()) {
    const std::size_t size = little_endian(bytes, at + 4, 4);
    const std::size_t body = at + 8;
    if (size > bytes.size() - body) throw std::runtime_error(path + ": is truncated");
    if (tag_is(bytes, at, "fmt ") && size >= 16) {
      const std::uint32_t format = little_endian(bytes, body, 2);
      const std::uint32_t channels = little_endian(bytes, body + 2, 2);
      const std::uint32_t bits = little_endian(bytes, body + 14, 2);
      if (format != kPcm || channels != 1 || bits != 16) {
        throw std::runtime_error(path + ": has format " + std::to_string(format) + ", " + std::to_string(channels) +
                                 " channels, " + std::to_string(bits) + " bits; this example reads 16-bit mono PCM");
      }
      wav.sample_rate = little_endian(bytes, body + 4, 4);
    } else if (tag_is(bytes, at, "data")) {
      if (wav.sample_rate == 0) throw std::runtime_error(path + ": its data comes before its format");
      wav.samples.resize(size / 2);
      for (std::size_t i = 0; i < wav.samples.size(); ++i) {
        wav.samples[i] = static_cast<std::int16_t>(little_endian(bytes, body + 2 * i, 2));
      }
      return wav;
    }
    at = body + size + size % 2;
  }
  throw std::runtime_error(path + ": holds no audio");
}
