/* Tested by tests/api/test_wanted.py. */
#include "server/http/json/present_wanted.h"

#include "common/text.h"
#include "engine/spec/run_spec_text.h"
#include "server/http/json/page.h"

/* What was measured with it, if anything. */
static const void *find_contender(const void *object)
{
    static const struct contender none;
    const struct wanted *wanted = object;

    return wanted->contender ? wanted->contender : &none;
}

static const struct member contender_rows[] = {
    {MEMBER_AS(struct contender, "row", id), .nullable = true,
     .meaning = "Id of its row in the comparison; null if never measured."},
    {MEMBER_AS(struct contender, "runs", standing.runs), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct contender, "machines", standing.vms), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct contender, version), .nullable = true},
    {MEMBER_TIME_AT(struct contender, "measured_at", standing.newest_us), .nullable = true},
    {0},
};
static const struct members contender_members = {.rows = contender_rows};

static const struct member wanted_rows[] = {
    {MEMBER_SPEC_AT(struct wanted, spec), .reference = "StoredSpec"},
    {MEMBER(struct wanted, reason), .words = wanted_reason_names,
     .meaning = "In order of worth: no valid run; fewer machines than an interval over machines "
                "needs; an older version than the newest of the engine; older than `days`."},
    {MEMBER(struct wanted, words), .filled = true, .meaning = "The reason in words."},
    {MEMBER_ROWS(&contender_members), .find = find_contender},
    {MEMBER_AS(struct wanted, "other_types", types), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Rows of other types that were measured with it."},
    {0},
};
static const struct members wanted_members = {
    .name = "Wanted", .meaning = "A spec that lacks evidence on a type.", .rows = wanted_rows};

static size_t shown_in(const struct wanted_view *view)
{
    return view->list->count < view->limit ? view->list->count : view->limit;
}

MEMBER_LISTS(write_wanted, struct wanted_view, view, view->list->list, shown_in(view))
MEMBER_LISTS(write_wanted_unmatched, struct wanted_view, view, view->unmatched->list,
             view->unmatched->count)
MEMBER_WRITES(write_type, text, struct wanted_view, view, view->type->name)
MEMBER_WRITES(write_provider, text, struct wanted_view, view, text_or_null(view->type->provider))
MEMBER_WRITES(write_count, integer, struct wanted_view, view, (long long)view->list->count)
MEMBER_WRITES(write_unable, integer, struct wanted_view, view, (long long)view->list->unable)

static const struct member wanted_list_rows[] = {
    {MEMBER_WRITTEN("instance_type", MEMBER_TEXT, write_type)},
    {MEMBER_WRITTEN("provider", MEMBER_TEXT, write_provider), .nullable = true},
    {MEMBER_LIST_OF("wanted", &wanted_members), .write = write_wanted},
    {MEMBER_WRITTEN("count", MEMBER_INTEGER, write_count), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "All that are wanted, beyond `limit` too."},
    {MEMBER_WRITTEN("unable", MEMBER_INTEGER, write_unable), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Specs left out, because such a machine cannot run them, or bf16 only emulated."},
    {MEMBER_LIST_OF("unmatched", &unmatched_members), .write = write_wanted_unmatched,
     .most = UNMATCHED_MAX,
     .meaning = "The type and provider that match nothing, although they are answered; where "
                "nothing is wanted, also the workload and engine that no run has."},
    {0},
};
const struct members wanted_list_members = {
    .name = "WantedList", .meaning = "The specs wanted for a type.", .rows = wanted_list_rows};
