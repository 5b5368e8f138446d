/* /v1/capacity: launched machines, failed launches and preemptions, counted by zone. Tested by
 * tests/api/test_capacity.py. */
#include "answers/compare/unmatched_lists.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/limits.h"
#include "pricing/given.h"
#include "server/http/access.h"
#include "server/http/api/prices.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/page.h"
#include "server/http/json/present_capacity.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

#define SLACK_US (5 * US_PER_MINUTE) /* by which the client's clock may be ahead */

/* The default of `at` is now. */
static bool check_event(void *object, struct error *err)
{
    struct capacity_event *event = object;
    long long now_us = clock_calendar_us();

    if (strcmp(event->kind, "preempted") == 0 && strcmp(event->price_kind, "spot") != 0)
        return error_set(err, ERROR_INVALID, "price_kind",
                         "must be spot: no other machine is preempted");
    if (event->at_us == 0)
        event->at_us = now_us;
    return event->at_us <= now_us + SLACK_US ||
           error_set(err, ERROR_INVALID, "at", "lies in the future");
}

static const struct field event_rows[] = {
    {BODY_TEXT(struct capacity_event, provider, 1), .required = true},
    {BODY_TEXT(struct capacity_event, instance_type, 1), .required = true},
    {BODY_TEXT(struct capacity_event, zone, 1), .required = true,
     .meaning = "In its provider's notation; the region where the zone is not known."},
    {BODY_AT(struct capacity_event, kind), .type = FIELD_CHOICE, .choices = capacity_kinds,
     .required = true},
    {BODY_AT(struct capacity_event, price_kind), .type = FIELD_CHOICE,
     .choices = capacity_price_kinds, .required = true,
     .meaning = "Only spot machines are preempted."},
    {GIVEN_TIME(struct capacity_event, "at", at_us), .nullable = true,
     .meaning = "The default is now."},
    {BODY_TEXT(struct capacity_event, machine, 1), .nullable = true,
     .meaning = "A name of the machine, such as its instance id."},
    {BODY_TEXT(struct capacity_event, note, 1), .nullable = true},
};
const struct body capacity_body = {.name = "NewCapacityEvent",
                                   .meaning = "A launch, a failed launch or a preemption.",
                                   BODY_ROWS(event_rows),
                                   .check = check_event};

/* An import token may report one preemption of its machine, nothing else. */
static bool may_report(const struct exchange *exchange, const struct capacity_event *event,
                       struct error *err)
{
    if (!exchange->request.grant.sender || exchange->request.grant.scopes & SCOPE_WRITE)
        return true;
    if (strcmp(event->kind, "preempted") != 0)
        return error_set(err, ERROR_FORBIDDEN, "kind",
                         "must be preempted: the scope write is missing, and a token with import "
                         "reports nothing else");
    return event->machine[0] ||
           error_set(err, ERROR_FORBIDDEN, "machine",
                     "must name the machine, so that it counts once: the scope write is missing");
}

void capacity_create_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(json_decrefp) json_t *json = NULL;
    struct capacity_event event = {.kind = NULL};
    struct error err = {0};
    bool is_new;

    json = request_json(exchange, &err);
    if (!json || !body_read(&capacity_body, json, &event, &err) ||
        !may_report(exchange, &event, &err)) {
        reply_error(exchange, &err);
        return;
    }
    if (!access_spend(exchange, LIMIT_RUNS, 1)) /* as a document does */
        return;
    snprintf(event.sender, sizeof event.sender, "%s", access_sender(exchange));
    loan = db_borrow(exchange->server->pool);
    if (!capacity_add(loan.db, &event, &is_new, &err))
        reply_error(exchange, &err);
    else
        reply_object(exchange, is_new ? 201 : 200, &capacity_event_members, &event);
}

/* What a list answers with. */
struct capacity_list {
    struct page *page; /* first: page_end_members */
    struct db *db;
    struct capacity_filter *filter;
    long long days;
};

struct count_writer {
    struct json_writer *out;
    struct page *page;
};

static void write_count(void *user, const struct capacity_count *count)
{
    const struct count_writer *writer = user;
    struct page *page = writer->page;

    if (!page_takes(page))
        return;
    snprintf(page->last, sizeof page->last, "%s %s %s %s", count->instance_type, count->provider,
             count->zone, count->price_kind);
    members_write(writer->out, NULL, &capacity_count_members, count);
}

static void write_counts(struct json_writer *out, const struct member *row, const void *object)
{
    const struct capacity_list *list = object;
    struct page *page = list->page;
    struct count_writer writer = {out, page};

    jsonw_open(out, row->name, '[');
    if (capacity_each(list->db, list->filter, write_count, &writer, &page->err) &&
        page->count == 0 && !list->filter->after)
        (void)!unmatched_events(list->db, list->filter, &page->unmatched, &page->err);
    jsonw_close(out, ']');
}

MEMBER_WRITES(write_since, time, struct capacity_list, list, list->filter->since_us)

static const struct member capacity_list_rows[] = {
    {MEMBER(struct capacity_list, days), .range = MEMBER_POSITIVE},
    {MEMBER_WRITTEN("since", MEMBER_TIME, write_since)},
    {MEMBER_LIST_OF("capacity", &capacity_count_members), .write = write_counts},
    {MEMBER_ROWS(&page_end_members)},
    {0},
};
const struct members capacity_list_members = {
    .name = "CapacityList", .meaning = "A page of counts.", .rows = capacity_list_rows};

void capacity_list_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct capacity_question *asked = exchange->request.parameters;
    struct page page = {.limit = asked->filter.limit++};
    struct capacity_list list = {
        .page = &page, .db = loan.db, .filter = &asked->filter, .days = asked->days};

    asked->filter.since_us = clock_calendar_us() - asked->days * US_PER_DAY;
    reply_list(exchange, &capacity_list_members, &list, &page.err);
}
