/* Waits for a hub, for commands that have nothing else to do. */
#pragma once

#include "server/base/heartbeat.h"
#include "server/hub/hub_uploader.h"

#include <signal.h>

/* Waits up to `seconds` until every run is reported, and prints the state to stderr every ten
 * seconds (more often in haste, common/haste.h). `heartbeat` continues meanwhile: a slow hub is
 * not our failure. The uploader first looks for runs that have just ended. One of `signals`
 * (which the caller blocks) ends the wait. Returns true when no run is left to send. */
bool hub_wait(struct hub_uploader *uploader, const sigset_t *signals, long long seconds,
              struct heartbeat *heartbeat);
