#include "core/encoder.h"
