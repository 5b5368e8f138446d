#include "engine/document/signature.h"

#include <string.h>

bool signature_is_digits(const char *text, size_t length, size_t digits)
{
    for (size_t i = 0; i < length; i++)
        if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f')))
            return false;
    return length == digits;
}

/* A value of the trace, and its offset in the whole; -1: not cut out. */
struct hole {
    long long at;
    struct span value;
};

static void put_in_order(struct hole holes[2])
{
    const struct hole first = holes[0];

    if (holes[1].at < first.at) {
        holes[0] = holes[1];
        holes[1] = first;
    }
}

static struct hole find_hole(const struct span *part, const struct span *whole)
{
    bool lies_in = part->start && part->start >= whole->start &&
                   part->start + part->length <= whole->start + whole->length;

    return (struct hole){lies_in ? part->start - whole->start : -1, *part};
}

bool signed_text_cut(struct bytes *text, const struct signed_parts *parts,
                     struct signed_text *ret_kept)
{
    const struct span *whole = &parts->whole;
    struct hole holes[] = {find_hole(&parts->steps, whole), find_hole(&parts->evidence, whole)};
    const char *at = whole->start;

    ret_kept->steps_at = holes[0].at;
    ret_kept->evidence_at = holes[1].at;
    put_in_order(holes);
    for (size_t i = 0; i < 2; i++) {
        const struct span *value = &holes[i].value;

        if (holes[i].at < 0)
            continue;
        if (!bytes_add(text, at, (size_t)(value->start - at)))
            return false;
        at = value->start + value->length;
    }
    return bytes_add(text, at, (size_t)(whole->start + whole->length - at));
}

static bool refuse_length(const struct bytes *text, struct error *err)
{
    return error_set(err, ERROR_INTERNAL, NULL, "the text that was signed has over %zu bytes",
                     text->limit);
}

/* Adds the text up to a hole, and the value that was there. */
static bool put_back(struct bytes *text, size_t start, const char **rest, const struct hole *hole,
                     struct error *err)
{
    size_t written = text->used - start, length = (size_t)hole->at - written;

    if (hole->at < 0)
        return true;
    if (!hole->value.start || (size_t)hole->at < written || length > strlen(*rest))
        return error_set(err, ERROR_DAMAGED, NULL, "the text that was signed is not whole");
    if (!bytes_add(text, *rest, length) ||
        !bytes_add(text, hole->value.start, hole->value.length))
        return refuse_length(text, err);
    *rest += length;
    return true;
}

static struct span whole_text(const char *text)
{
    return (struct span){text, text ? strlen(text) : 0};
}

bool signed_text_write(struct bytes *text, const struct signed_text *kept,
                       const struct signed_trace *trace, struct error *err)
{
    struct hole holes[] = {{kept->steps_at, whole_text(trace->steps)},
                           {kept->evidence_at, whole_text(trace->evidence)}};
    const char *rest = kept->text;
    size_t start = text->used;

    put_in_order(holes);
    return put_back(text, start, &rest, &holes[0], err) &&
           put_back(text, start, &rest, &holes[1], err) &&
           (bytes_add(text, rest, strlen(rest)) || refuse_length(text, err));
}
