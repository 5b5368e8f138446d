/* Waiting for a hub, for commands that have nothing else to do. */
#pragma once

#include "server/base/heartbeat.h"
#include "server/hub/hub_uploader.h"

#include <signal.h>

/* Waits up to so many seconds until all is reported, and tells stderr now and then what is in the
 * way. `heartbeat` beats meanwhile: to wait for a hub is no fault of ours. One of `signals`
 * (which are blocked) ends it. True when nothing is left to be sent. */
bool hub_wait(struct hub_uploader *uploader, const sigset_t *signals, long long seconds,
              struct heartbeat *heartbeat);
