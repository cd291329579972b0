#include "frontend/resampler.h"
