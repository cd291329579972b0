/* What the tests ask of a program in C99. */
#ifndef C_PROGRAM_H
#define C_PROGRAM_H

#include "cosyvoice/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A session's life: feeds in packets and pulls to the end. The finals' texts, a line for each, go to `texts`, which has
 * `capacity` bytes. The code of the first call that failed. */
int c_transcribe(cv_engine* engine, const int16_t* samples, size_t count, char* texts, size_t capacity);

/* Sizes that C sees, for a comparison with those that C++ sees. */
void c_sizes(size_t sizes[6]);

#ifdef __cplusplus
}
#endif

#endif
