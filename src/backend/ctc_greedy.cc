#include "backend/ctc_greedy.h"
