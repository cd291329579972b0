#include "wav.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t little_endian(const unsigned char* bytes, int size) {
  uint32_t value = 0;
  for (int i = size - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

static const char* read_samples(FILE* file, size_t bytes, wav_file* wav) {
  unsigned char sample[2];
  wav->samples = malloc(bytes == 0 ? 1 : bytes);
  if (wav->samples == NULL) return "is larger than memory";
  for (wav->count = 0; wav->count < bytes / 2; ++wav->count) {
    if (fread(sample, 1, 2, file) != 2) return "is truncated";
    wav->samples[wav->count] = (int16_t)little_endian(sample, 2);
  }
  return NULL;
}

static const char* read_chunks(FILE* file, wav_file* wav) {
  unsigned char header[12], format[16];
  if (fread(header, 1, 12, file) != 12 || memcmp(header, "RIFF", 4) != 0 || memcmp(header + 8, "WAVE", 4) != 0)
    return "is no WAV file";
  while (fread(header, 1, 8, file) == 8) {
    uint32_t rest = little_endian(header + 4, 4);
    if (memcmp(header, "data", 4) == 0) {
      return wav->sample_rate == 0 ? "has its data before its format" : read_samples(file, rest, wav);
    }
    if (memcmp(header, "fmt ", 4) == 0 && rest >= 16) {
      if (fread(format, 1, 16, file) != 16) return "is truncated";
      if (little_endian(format, 2) != 1 || little_endian(format + 2, 2) != 1 || little_endian(format + 14, 2) != 16)
        return "is not 16-bit mono PCM, which this example reads";
      wav->sample_rate = little_endian(format + 4, 4);
      rest -= 16;
    }
    if (fseek(file, (long)rest + (long)(rest % 2), SEEK_CUR) != 0) return "is truncated";
  }
  return "holds no audio";
}

const char* wav_read(const char* path, wav_file* wav) {
  const char* fault = NULL;
  FILE* file = fopen(path, "rb");
  memset(wav, 0, sizeof *wav);
  if (file == NULL) return "cannot be opened";
  fault = read_chunks(file, wav);
  fclose(file);
  if (fault != NULL) {
    free(wav->samples);
    memset(wav, 0, sizeof *wav);
  }
  return fault;
}
