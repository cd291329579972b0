#include "frontend/feature_stream.h"
