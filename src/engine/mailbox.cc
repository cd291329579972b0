#include "engine/mailbox.h"
