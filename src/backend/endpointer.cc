#include "backend/endpointer.h"
