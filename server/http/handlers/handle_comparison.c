/* GET /v1/comparison: ranks machines by training per dollar, with intervals and the changes that
 * would alter the ranking; and the same answer as pictures for other pages. Tested by
 * tests/api/test_comparison.py and tests/api/test_pictures.py. */
#include "answers/compare/comparison.h"
#include "answers/compare/comparison_cache.h"
#include "answers/compare/elsewhere.h"
#include "answers/compare/follow_spot.h"
#include "answers/compare/regions.h"
#include "answers/compare/unmatched_lists.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "server/http/api/comparison.h"
#include "server/http/cached_reply.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/comparison/present_comparison.h"
#include "server/http/json/comparison/present_comparison_csv.h"
#include "server/http/json/comparison/present_comparison_markdown.h"
#include "server/http/json/comparison/present_comparison_svg.h"
#include "server/http/negotiate.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"

enum { JSON, CSV, MARKDOWN, CHART, BADGE };
static const char *const content_types[] = {"application/json", "text/csv; charset=utf-8",
                                            "text/markdown; charset=utf-8", "image/svg+xml",
                                            "image/svg+xml"};

/* format= of the query wins over the Accept header. Returns -1 if it has replied. */
static int choose_comparison_format(struct exchange *exchange)
{
    static const char *const types[] = {"application/json", "text/csv", "text/markdown"};
    const struct comparison_asked *asked = exchange->request.parameters;
    int best = -1, quality = 0;

    for (int i = JSON; i <= MARKDOWN; i++) {
        int liked = accept_quality(exchange->request.headers.accept, types[i]);

        if (asked->format && strcmp(asked->format, comparison_formats[i]) == 0)
            return i;
        if (liked > quality) {
            best = i;
            quality = liked;
        }
    }
    if (best < 0)
        reply_problem(exchange, 406, "Accept",
                      "this is application/json, text/csv or text/markdown");
    return best;
}

static bool write_body(struct exchange *exchange, int format,
                       const struct comparison_question *question, const struct ranking *ranking,
                       struct error *err)
{
    struct bytes *body = &exchange->reply.body;
    struct json_writer out = {.bytes = body};
    struct comparison_view view = {.question = question, .ranking = ranking};
    bool ok;

    switch (format) {
    case CSV:
        ok = present_comparison_csv(body, question, ranking);
        break;
    case MARKDOWN:
        ok = present_comparison_markdown(body, question, ranking);
        break;
    case CHART:
        ok = present_comparison_svg(body, question, ranking);
        break;
    case BADGE:
        ok = present_badge_svg(body, question, ranking);
        break;
    default:
        view.fields =
            ((const struct comparison_asked *)exchange->request.parameters)->fields.names;
        members_write(&out, NULL, &comparison_members, &view);
        ok = !out.failed;
    }
    return ok || bytes_too_long(body, "the answer", err);
}

static bool is_of_subset(const struct comparison_question *question)
{
    return question->label_count > 0 || question->sender;
}

/* For a question with labels or a sender: the standings of their runs, and the labels that no run
 * has. */
static bool load_subset(struct db *db, struct comparison_parts *parts,
                        struct standings *ret_standings, struct error *err)
{
    const struct comparison_question *question = parts->question;
    const struct standing_subset subset = {.labels = question->labels,
                                           .label_count = question->label_count,
                                           .sender = question->sender};
    struct run_filter filter = {.label_count = question->label_count};
    struct unmatched_list unmatched = {.count = 0};

    if (!is_of_subset(question))
        return true;
    memcpy(filter.labels, question->labels, sizeof filter.labels);
    if (!standings_of_subset(db, &subset, ret_standings, &parts->subset_cut, err) ||
        !unmatched_sender(db, question->sender, &unmatched, err) ||
        !unmatched_runs(db, &filter, &unmatched, err))
        return false;
    memcpy(parts->unmatched_subset, unmatched.list, sizeof parts->unmatched_subset);
    parts->unmatched_subset_count = unmatched.count;
    return true;
}

static bool comparison_compute(struct exchange *exchange, struct db *db, int format,
                               const struct comparison_question *question, struct error *err)
{
    const struct server *server = exchange->server;
    AUTO(comparison_cache_return) struct comparison_loan loan = {0};
    AUTO(comparison_clear) struct ranking ranking = {0};
    AUTO(freep) struct discount_list *discounts = xcalloc(1, sizeof *discounts);
    AUTO(capacity_counts_free) struct capacity_counts capacity = {0};
    AUTO(standings_free) struct standings subset = {0};
    AUTO(homes_free) struct homes homes = {0};
    const struct homes none = {0};
    struct comparison_parts parts = {
        .question = question, .discounts = discounts, .capacity = &capacity};

    if (!discounts_each(db, question->where.at_us, discount_list_add, discounts, err) ||
        !capacity_counts_load(db, question->where.at_us, question->where.zone, &capacity, err) ||
        !load_subset(db, &parts, &subset, err) ||
        !comparison_cache_borrow(server->comparison_cache, db, &question->where, &loan, err))
        return false;
    parts.standings = is_of_subset(question) ? &subset : loan.standings;
    parts.offers = loan.offers;
    parts.homes = loan.homes;
    if (is_of_subset(question)) {
        if (!homes_complete(db, &question->where, &subset, &none, &homes, err))
            return false;
        parts.homes = &homes;
    }
    return comparison_make(&parts, &ranking, err) &&
           comparison_look_elsewhere(db, question, &ranking, err) &&
           comparison_follow_spot(db, server->spot_histories, question, &ranking, err) &&
           unmatched_places(db, &question->where, ranking.unmatched, &ranking.unmatched_count,
                            err) &&
           write_body(exchange, format, question, &ranking, err);
}

/* Other pages may show the picture: it contains no script and loads nothing. */
static void add_fields_of_picture(struct exchange *exchange)
{
    reply_field(exchange, "Cross-Origin-Resource-Policy", "cross-origin");
    reply_field(exchange, "Content-Security-Policy", "default-src 'none'; sandbox");
}

static void add_fields(struct exchange *exchange, int format)
{
    if (format >= CHART)
        add_fields_of_picture(exchange);
    else
        reply_field(exchange, "Vary", "Accept");
}

/* Returns -1 if it has replied. */
static int format_of(struct exchange *exchange)
{
    handler_fn *handler = exchange->request.match.route->handler;

    if (handler == comparison_svg_handler)
        return CHART;
    return handler == badge_svg_handler ? BADGE : choose_comparison_format(exchange);
}

/* A question as the cache knows it. */
struct cached_question {
    int format;
    struct answer_key key;
    struct identity here;
    long long now_us;
    char text[QUERY_MAX + 64];
};

/* Replies if the answer is cached, or there can be none. */
static bool comparison_find(struct exchange *exchange, struct db *db, struct cached_question *ret)
{
    struct error err = {0};

    ret->format = format_of(exchange);
    if (ret->format < 0)
        return true;
    this_machine_identity(exchange->server->this_machine, &ret->here);
    snprintf(ret->text, sizeof ret->text, "%d%s|%s", ret->format, exchange->request.target,
             ret->here.region);
    ret->now_us = clock_calendar_us();
    ret->key = (struct answer_key){.text = ret->text, .minute = ret->now_us / US_PER_MINUTE};
    if (!revision_read(db, &ret->key.revision, &err)) {
        reply_error(exchange, &err);
        return true;
    }
    if (!cached_reply_send(exchange, &ret->key, content_types[ret->format]))
        return false;
    add_fields(exchange, ret->format);
    return true;
}

bool comparison_from_cache(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct cached_question cached;

    return comparison_find(exchange, loan.db, &cached);
}

void comparison_handler(struct exchange *exchange)
{
    const struct server *server = exchange->server;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(server->pool);
    struct comparison_question *question = exchange->request.parameters;
    struct cached_question cached;
    struct error err = {0};

    if (comparison_find(exchange, loan.db, &cached))
        return; /* computed by another request in the meantime */
    if (!comparison_question_complete(question, &cached.here, cached.now_us, &err) ||
        !comparison_default_regions(loan.db, server->config->price_regions, question, &err) ||
        !comparison_compute(exchange, loan.db, cached.format, question, &err)) {
        reply_error(exchange, &err);
        return;
    }
    cached_reply_keep(exchange, &cached.key, content_types[cached.format]);
    add_fields(exchange, cached.format);
}

/* Their routes tell the format. */
void comparison_svg_handler(struct exchange *exchange)
{
    comparison_handler(exchange);
}

void badge_svg_handler(struct exchange *exchange)
{
    comparison_handler(exchange);
}
