#include "backend/transcript.h"
