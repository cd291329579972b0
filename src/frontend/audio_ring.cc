#include "frontend/audio_ring.h"
