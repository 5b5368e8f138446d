#include "pricing/feeds/plausible.h"

#include "common/cleanup.h"

#define LEAP 5
#define COVERAGE_PERCENT 80
#define LEAPS_PERCENT 10
#define FEW 2 /* so many that leap, or are gone, do not condemn a small reading */
#define LIKE_PERCENT 90

bool is_leap(long long before_nanos, long long after_nanos)
{
    return after_nanos > before_nanos * LEAP || before_nanos > after_nanos * LEAP;
}

bool is_confirmed(long long held_nanos, long long after_nanos)
{
    return held_nanos > 0 && after_nanos <= held_nanos + held_nanos / 4 &&
           after_nanos >= held_nanos - held_nanos / 4;
}

bool source_is_trusted(const struct source *source)
{
    return source->needs & NEEDS_FILE;
}

bool type_is_asked_for(const struct source *source, const char *types, const char *name)
{
    static const char blanks[] = ", ";
    size_t size = strlen(name);

    if (!(source->needs & NEEDS_TYPES) || !types || !*types)
        return true;
    for (types += strspn(types, blanks); *types; types += strspn(types, blanks)) {
        size_t length = strcspn(types, blanks);

        if (length == size && memcmp(types, name, size) == 0)
            return true;
        types += length;
    }
    return false;
}

static bool has_type(const struct price_batch *batch, const char *name)
{
    const struct price *price;
    size_t position = 0;

    while ((price = price_batch_next(batch, &position)) != NULL)
        if (strcmp(price->instance_type, name) == 0)
            return true;
    return false;
}

static bool has_regions(const struct price_batch *batch, size_t wanted)
{
    AUTO(freep) char(*regions)[40] = calloc(wanted + 1, sizeof *regions);
    const struct price *price;
    size_t position = 0, count = 0;

    while (regions && count < wanted && (price = price_batch_next(batch, &position)) != NULL) {
        size_t known = 0;

        while (known < count && strcmp(regions[known], price->region) != 0)
            known++;
        if (known == count)
            memcpy(regions[count++], price->region, sizeof regions[0]);
    }
    return regions && count >= wanted;
}

bool change_is_plausible(const struct source *source, const struct price_batch *batch,
                         const struct change *change, struct error *err)
{
    for (const char *const *name = source->sentinels; name && *name; name++)
        if (!has_type(batch, *name))
            return error_set(err, ERROR_UPSTREAM, NULL,
                             "not believed: it has no price for %s, which it always had", *name);
    if (source->min_regions > 0 && !has_regions(batch, source->min_regions))
        return error_set(err, ERROR_UPSTREAM, NULL, "not believed: it has fewer than %zu regions",
                         source->min_regions);
    if (change->before > 0 &&
        (change->after == 0 || (change->before - change->common > FEW &&
                                change->common * 100 < change->before * COVERAGE_PERCENT)))
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "not believed: it has %zu of the %zu prices that it had before",
                         change->common, change->before);
    if (change->leapt > FEW && change->leapt * 100 > change->common * LEAPS_PERCENT)
        return error_set(err, ERROR_UPSTREAM, NULL,
                         "not believed: %zu of %zu prices moved by more than %d times",
                         change->leapt, change->common, LEAP);
    return true;
}

bool change_is_like(const struct change *change, const struct doubt *doubt)
{
    size_t prices = (size_t)doubt->prices;

    return doubt->since_us > 0 && change->after > 0 &&
           change->after * 100 >= prices * COVERAGE_PERCENT &&
           prices * 100 >= change->after * COVERAGE_PERCENT &&
           change->agreed * 100 >= change->contested * LIKE_PERCENT;
}

bool change_is_confirmed(const struct change *change, const struct doubt *doubt, long long now_us)
{
    return change_is_like(change, doubt) && now_us - doubt->since_us >= DOUBT_SECONDS * 1000000LL;
}
