/* Reads a file of this machine as if it were fetched, with a validator of its time and size.
 * Never waits, and refuses a file that changes while it is read. */
#pragma once

#include "pricing/feeds/fetch.h"

fetch_fn fetch_file; /* request->url is a path; `user` is not used */
