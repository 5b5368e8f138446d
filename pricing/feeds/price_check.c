#include "pricing/feeds/price_check.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "pricing/feeds/fetch_file.h"
#include "pricing/feeds/sources.h"

struct inspector {
    price_sheet_fault_fn *fault;
    void *user;
    size_t faults;
};

static void count_fault(void *user, long long line, const struct error *fault)
{
    struct inspector *inspector = user;

    inspector->faults++;
    inspector->fault(inspector->user, line, fault);
}

static enum fetch_take take_bytes(void *user, const char *data, size_t length, struct error *err)
{
    return price_sheet_feed(user, data, length, err) ? TAKE_MORE : TAKE_FAILED;
}

static void sum_up(const struct price_batch *batch, struct price_check *check)
{
    const struct price *price;
    size_t position = 0;

    check->prices = price_batch_count(batch);
    while ((price = price_batch_next(batch, &position)) != NULL) {
        if (check->cheapest.nanos == 0 || price->nanos < check->cheapest.nanos)
            check->cheapest = *price;
        if (price->nanos > check->costliest.nanos)
            check->costliest = *price;
    }
}

bool price_check(const char *path, price_sheet_fault_fn *fault, void *user,
                 struct price_check *ret_check, struct error *err)
{
    struct inspector inspector = {.fault = fault, .user = user};
    AUTO(price_batch_freep) struct price_batch *batch = price_batch_new(price_file.name, 0);
    AUTO(freep) struct fetch_request *request = xcalloc(1, sizeof *request);
    AUTO(price_sheet_freep) struct price_sheet *sheet = NULL;
    struct price_check check = {.rows = 0};
    struct fetch_response response;

    sheet = price_sheet_new(&(struct price_sheet_rules){batch, count_fault, &inspector});
    request->max_bytes = price_file.max_bytes;
    if (!fetch_url_add(request, path))
        return error_set(err, ERROR_INVALID, "FILE", "is too long");
    if (!fetch_file(NULL, request, take_bytes, sheet, &response, err) ||
        !price_sheet_end(sheet, err))
        return false;
    check.rows = (size_t)price_batch_facts(batch)->tally.seen;
    check.faults = inspector.faults;
    sum_up(batch, &check);
    *ret_check = check;
    return true;
}
