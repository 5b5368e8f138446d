/* Who the runs of a row of a comparison are of. */
#pragma once

#include "common/json_writer.h"
#include "db/standings/standings.h"

/* "senders": of each source its name, runs, machines and share, the largest share first. */
void present_senders(struct json_writer *out, const struct contender *contender);

/* The same in one line: "measured here 60 %, c1 40 %, mallory aside"; "" of a figure. */
bool present_senders_line(struct bytes *text, const struct contender *contender)
    __attribute__((warn_unused_result));
