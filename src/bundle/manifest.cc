#include "bundle/manifest.h"
