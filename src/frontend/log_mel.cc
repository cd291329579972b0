#include "frontend/log_mel.h"
