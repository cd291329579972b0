/* The least that reading a 16-bit mono WAV file takes. */
#ifndef WAV_H
#define WAV_H

#include <stddef.h>
#include <stdint.h>

typedef struct wav_file {
  uint32_t sample_rate;
  int16_t* samples; /* free() it */
  size_t count;
} wav_file;

/* NULL, or what is wrong with the file. */
const char* wav_read(const char* path, wav_file* wav);

#endif
