/* /v1/discounts: factors on list prices, by provider and family. Tested by
 * tests/api/test_comparison.py. */
#include "common/cleanup.h"
#include "common/clock.h"
#include "db/prices/catalogue.h"
#include "db/prices/withdrawals.h"
#include "pricing/given.h"
#include "server/base/taken_back_json.h"
#include "server/http/api/prices.h"
#include "server/http/handlers/handlers.h"
#include "server/http/handlers/taking_back.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/http/server.h"
#include "server/prices/price_json.h"

#include <limits.h>

static const char *const kinds[] = {"on_demand", "spot", NULL};

static const struct member discount_rows[] = {
    {MEMBER_AS(struct discount, "id", number), .range = MEMBER_POSITIVE,
     .meaning = "Id for withdrawing the discount."},
    {MEMBER(struct discount, provider)},
    {MEMBER(struct discount, family), .nullable = true,
     .meaning = "c7i stands for c7i.large and its like; null for all types."},
    {MEMBER(struct discount, kind), .words = kinds},
    {MEMBER(struct discount, factor), .nullable = true, .range = MEMBER_POSITIVE,
     .schema = "{\"maximum\": 1}", .meaning = "null: from then on there is none."},
    {MEMBER(struct discount, note), .nullable = true},
    {MEMBER_TIME_AT(struct discount, "valid_from", since_us)},
    {MEMBER_OBJECT_AT(struct discount, "withdrawn", withdrawn), .members = &taken_back_members,
     .nullable = true, .meaning = "The withdrawal of the discount: who and from when on."},
    {0},
};
const struct members discount_members = {
    .name = "Discount", .meaning = "A discount on list prices.", .rows = discount_rows};

struct discount_answer {
    struct db *db;
    long long at_us;
    bool history;
    struct error *err; /* set where reading them failed */
};

static void write_discount(void *user, const struct discount *discount)
{
    members_write(user, NULL, &discount_members, discount);
}

static void write_discounts(struct json_writer *out, const struct member *row, const void *object)
{
    const struct discount_answer *answer = object;

    jsonw_open(out, row->name, '[');
    (void)!(answer->history ? discounts_history : discounts_each)(
        answer->db, answer->at_us, write_discount, out, answer->err);
    jsonw_close(out, ']');
}

static const struct member discount_list_rows[] = {
    {MEMBER_LIST_OF("discounts", &discount_members), .write = write_discounts},
    {0},
};
const struct members discount_list_members = {
    .name = "DiscountList", .meaning = "Discounts in force.", .rows = discount_list_rows};

void discounts_list_handler(struct exchange *exchange)
{
    const struct discounts_question *asked = exchange->request.parameters;
    AUTO(db_loan_end) struct db_loan loan = db_borrow(exchange->server->pool);
    struct error err = {0};
    const struct discount_answer answer = {.db = loan.db,
                                           .at_us =
                                               asked->at_us ? asked->at_us : clock_calendar_us(),
                                           .history = asked->history,
                                           .err = &err};

    reply_list(exchange, &discount_list_members, &answer, &err);
}

/* A discount that was just stored. */
struct stored_discount {
    struct discount discount;
    long long known_types;
};

static const struct member stored_discount_rows[] = {
    {MEMBER_ROWS_AT(struct stored_discount, discount, &discount_members)},
    {MEMBER(struct stored_discount, known_types), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "How many instance types with a price of this kind it applies to now. 0: check "
                "the names of the provider and the family, unless their prices are read later."},
    {0},
};
const struct members stored_discount_members = {.name = "StoredDiscount",
                                                .meaning = "A discount that was just stored.",
                                                .rows = stored_discount_rows};

/* The request body of a discount. */
struct given_discount {
    struct discount discount;
    const char *kind;
};

static bool check_given(void *object, struct error *err)
{
    struct given_discount *given = object;
    const char *provider = given->discount.provider, *family = given->discount.family;

    if (!given_provider_check("provider", provider, err))
        return false;
    if (family[0] && strchr("._-", family[strlen(family) - 1]))
        return error_set(err, ERROR_INVALID, "family",
                         "is a family without the mark behind it, like c7i or n2-standard, got "
                         "'%.31s'",
                         family);
    return price_kind_from_name(given->kind, &given->discount.kind);
}

#define GIVEN_WORD(member)                                                                       \
    BODY_TEXT_AS(struct given_discount, #member, discount.member, FIELD_WORD, 1)
static const struct field given_rows[] = {
    {GIVEN_WORD(provider), .required = true},
    {GIVEN_WORD(family), .nullable = true,
     .schema = "{\"pattern\": \"^([!-~][ -~]{0,29})?[!-,/-^`-~]$\"}"},
    {BODY_AT(struct given_discount, kind), .type = FIELD_CHOICE, .choices = kinds,
     .usual = "\"on_demand\""},
    {BODY_AS(struct given_discount, "factor", discount.factor), .type = FIELD_NUMBER, .max = 1,
     .required = true, .nullable = true, .meaning = "null withdraws the discount."},
    {GIVEN_WORD(note), .nullable = true},
    {GIVEN_TIME(struct given_discount, "valid_from", discount.since_us)},
};
const struct body discount_body = {.name = "NewDiscount",
                                   .meaning = "A discount to be stored.",
                                   BODY_ROWS(given_rows),
                                   .check = check_given};

void discounts_create_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    AUTO(json_decrefp) json_t *json = NULL;
    struct given_discount given = {.kind = kinds[PRICE_ON_DEMAND],
                                   .discount.since_us = clock_calendar_us()};
    struct stored_discount stored;
    struct error err = {0};

    json = request_json(exchange, &err);
    if (!json || !body_read(&discount_body, json, &given, &err)) {
        reply_error(exchange, &err);
        return;
    }
    stored.discount = given.discount;
    loan = db_borrow(exchange->server->pool);
    if (!discounts_put(loan.db, &stored.discount, &stored.discount.number, &err) ||
        !discounts_reach(loan.db, &stored.discount, &stored.known_types, &err))
        reply_error(exchange, &err);
    else
        reply_object(exchange, 201, &stored_discount_members, &stored);
}

/* The {id} of the path, as a listed discount has it. */
static bool read_number(const struct router_match *match, char ret_id[24], long long *ret_number)
{
    const struct field number = {.name = "id", .min = 1, .max = LLONG_MAX};
    struct error ignored = {0};

    snprintf(ret_id, 24, "%.*s", (int)match->id_length, match->id);
    return match->id_length < 24 && field_read_text(&number, ret_id, ret_number, &ignored);
}

void discounts_withdraw_handler(struct exchange *exchange)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    struct discount discount;
    struct taken_back taken;
    struct error err = {0};
    long long number;
    char id[24];

    if (!taking_back_read_body(exchange, &taken))
        return;
    if (!read_number(&exchange->request.match, id, &number)) {
        reply_problem(exchange, 404, NULL, "there is no such discount");
        return;
    }
    loan = db_borrow(exchange->server->pool);
    if (!discounts_withdraw(loan.db, number, &taken, &discount, &err)) {
        reply_error(exchange, &err);
        return;
    }
    if (discount.withdrawn.at_us == taken.at_us)
        taking_back_note(exchange, "discount withdrawn", id, taken.reason);
    reply_object(exchange, 200, &discount_members, &discount);
}
