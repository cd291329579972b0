#include "cosyvoice/engine.h"
