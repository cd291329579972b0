#include "frontend/feature_extractor.h"
