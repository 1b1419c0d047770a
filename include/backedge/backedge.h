// Everything an embedder needs, in one header: level 1 is Run, for a loop of your own; level 2 is Runtime.
#pragma once

#include "backedge/chain.h"
#include "backedge/contract.h"
#include "backedge/event.h"
#include "backedge/ids.h"
#include "backedge/message.h"
#include "backedge/model.h"
#include "backedge/policy.h"
#include "backedge/result.h"
#include "backedge/route.h"
#include "backedge/run.h"
#include "backedge/runtime.h"
#include "backedge/tool.h"
#include "backedge/verdict.h"
#include "backedge/version.h"
