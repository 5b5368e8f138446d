#include "server/http/json/present_rank.h"

#include "engine/stats/rank_interval.h"

MEMBER_KNOWN(rank_is_known, struct rank_interval, rank, rank->low > 0)

static const struct member rank_rows[] = {
    {MEMBER(struct rank_interval, low), .range = MEMBER_POSITIVE,
     .meaning = "1 and the rows that are surely better."},
    {MEMBER(struct rank_interval, high), .range = MEMBER_POSITIVE,
     .meaning = "The number of ranked rows, minus those that are surely worse."},
    {0},
};
const struct members rank_interval_members = {
    .name = "RankInterval",
    .meaning = "The ranks that a row of a comparison or a cell of a sweep may have.",
    .rows = rank_rows,
    .is_known = rank_is_known};
