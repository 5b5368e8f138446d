/* Reads a local file as if it were fetched, with a validator from its time and size. Never
 * blocks, and refuses a file that changes during the read. */
#pragma once

#include "pricing/feeds/fetch.h"

fetch_fn fetch_file; /* request->url is a path; `user` is ignored */
