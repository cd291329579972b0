// The kernels with vectors of 16 floats; src/frontend/CMakeLists.txt gives this file its instruction set.
#define COSYVOICE_LANE_WIDTH 16
#define COSYVOICE_LANE_NAME "avx512"
#define COSYVOICE_LANE_TABLE kLaneKernelsAvx512
#include "frontend/lane_kernels.inc.h"
