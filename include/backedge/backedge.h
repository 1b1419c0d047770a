// Everything an embedder needs, in one header.
#pragma once

#include "backedge/chain.h"
#include "backedge/contract.h"
#include "backedge/ids.h"
#include "backedge/policy.h"
#include "backedge/result.h"
#include "backedge/run.h"
#include "backedge/verdict.h"
