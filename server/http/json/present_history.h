/* JSON of histories with their changes. */
#pragma once

#include "db/standings/histories.h"
#include "server/http/json/page.h"

struct history_answer {
    struct page *page; /* first: page_unmatched_members */
    const char *workload;
    const struct histories *histories;
};
extern const struct members history_members;
