// The kernels with vectors of 8 floats; src/frontend/CMakeLists.txt gives this file its instruction set.
#define COSYVOICE_LANE_WIDTH 8
#define COSYVOICE_LANE_NAME "avx2"
#define COSYVOICE_LANE_TABLE kLaneKernelsAvx2
#include "frontend/lane_kernels.inc.h"
