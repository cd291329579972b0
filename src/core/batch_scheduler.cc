#include "core/batch_scheduler.h"
