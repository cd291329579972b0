// The kernels with vectors of 4 floats; src/frontend/CMakeLists.txt gives this file its instruction set.
#define COSYVOICE_LANE_WIDTH 4
#define COSYVOICE_LANE_NAME "baseline"
#define COSYVOICE_LANE_TABLE kLaneKernelsBaseline
#include "frontend/lane_kernels.inc.h"
