#include "runtime/histogram.h"
