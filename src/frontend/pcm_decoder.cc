#include "frontend/pcm_decoder.h"
