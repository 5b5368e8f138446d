/* Reads a file of this machine as if it were fetched, with a validator of its time and size.
 * Waits for nobody, and does not believe a file that changes meanwhile. */
#pragma once

#include "pricing/feeds/fetch.h"

fetch_fn fetch_file; /* request->url is a path; `user` is not used */
