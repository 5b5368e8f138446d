/* Embeddings of one set, embedding.h.
 * Tested by tests/engine/train/kernels/text/embedding_test.c. */
#include "engine/train/kernels/text/embedding.h"
#include "engine/train/kernels/text/text_vec.h"

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)
#define PART 1024 /* numbers of a row that learn at a time */

extern const struct learn_kernel TEXT_NAME(learn);

CONV_INLINE void add_row(const float *row, long count, vec *sum)
{
    vec value;

    vec_load(row, count, &value);
    *sum += value;
}

static void look_up(const struct embedding *embedding, const float *table, long begin, long end,
                    float *ret_result)
{
    long width = embedding->width, each = embedding->each;
    vec share = VEC_ALL(1.f / (float)each);

    for (long row = begin; row < end; row++)
        for (long c = 0; c < width; c += LANES) {
            vec sum = {0};

            for (long i = row * each; i < (row + 1) * each; i++) {
                add_row(table + embedding->tokens[i] * width + c, width - c, &sum);
                if (embedding->positions)
                    add_row(embedding->positions + i % embedding->length * width + c, width - c,
                            &sum);
            }
            if (each > 1)
                sum *= share;
            vec_store(ret_result + row * width + c, width - c, &sum);
        }
}

/* By one digit of the token, those of the same digit in their order. */
static void sort_digit(const struct embedding *embedding, int shift, const int32_t *from,
                       int32_t *to)
{
    int32_t first[DIGITS] = {0}, sum = 0;

    for (long i = 0; i < embedding->count; i++)
        first[embedding->tokens[i] >> shift & (DIGITS - 1)]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        int32_t count = first[digit];

        first[digit] = sum;
        sum += count;
    }
    for (long i = 0; i < embedding->count; i++) {
        int32_t place = from ? from[i] : (int32_t)i;

        to[first[embedding->tokens[place] >> shift & (DIGITS - 1)]++] = place;
    }
}

static void sort(const struct embedding *embedding, const struct embedding_order *order)
{
    int passes = 1;
    const int32_t *from = NULL;

    while (passes < 3 && embedding->rows > 1L << passes * DIGIT_BITS)
        passes++;
    for (int p = 0; p < passes; p++) {
        int32_t *to = (passes - p) % 2 != 0 ? order->places : order->scratch;

        sort_digit(embedding, p * DIGIT_BITS, from, to);
        from = to;
    }
}

/* The first of the sorted places whose token is `token` or above. */
static long place_of(const struct embedding *embedding, const struct embedding_order *order,
                     long token)
{
    long low = 0, high = embedding->count;

    while (low < high) {
        long middle = (low + high) / 2;

        if (embedding->tokens[order->places[middle]] < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sums `count` numbers, from column `column` on, of the gradients at places first .. last - 1. */
static void sum_places(const struct embedding *embedding, const int32_t *places,
                       const long first_and_last[2], const float *gradient, long count,
                       float *ret_sums)
{
    vec share = VEC_ALL(1.f / (float)embedding->each);

    for (long c = 0; c < count; c += LANES) {
        vec sum = {0};

        for (long i = first_and_last[0]; i < first_and_last[1]; i++)
            add_row(gradient + places[i] / embedding->each * embedding->width + c, count - c,
                    &sum);
        if (embedding->each > 1)
            sum *= share;
        vec_store(ret_sums + c, count - c, &sum);
    }
}

/* Behind the last of the sorted places that have the token of place `first`. */
static long same_token(const struct embedding *embedding, const struct embedding_order *order,
                       long first)
{
    long last = first;

    while (last < embedding->count &&
           embedding->tokens[order->places[last]] == embedding->tokens[order->places[first]])
        last++;
    return last;
}

static bool is_at(const struct embedding *embedding, const struct embedding_order *order,
                  long place, long row)
{
    return place < embedding->count && embedding->tokens[order->places[place]] == row;
}

static void gradient_of(const struct embedding *embedding, const struct embedding_order *order,
                        const float *gradient, const long begin_and_end[2], float *ret_table)
{
    long place = place_of(embedding, order, begin_and_end[0]), width = embedding->width;

    for (long row = begin_and_end[0]; row < begin_and_end[1]; row++) {
        if (!is_at(embedding, order, place, row)) {
            memset(ret_table + row * width, 0, (size_t)width * sizeof *ret_table);
            continue;
        }
        long last = same_token(embedding, order, place);

        sum_places(embedding, order->places, (const long[2]){place, last}, gradient, width,
                   ret_table + row * width);
        place = last;
    }
}

/* A row that tokens have; its gradient is summed part by part. */
static void learn_row(const struct embedding *embedding, const struct embedding_order *order,
                      const long first_and_last[2], const float *gradient,
                      const struct embedding_learn *learn)
{
    long row = embedding->tokens[order->places[first_and_last[0]]], width = embedding->width;
    float sums[PART];

    for (long c = 0; c < width; c += PART) {
        long count = width - c < PART ? width - c : PART, at = row * width + c;
        struct learn_arrays arrays = learn->arrays;

        sum_places(embedding, order->places, first_and_last, gradient + c, count, sums);
        arrays.weights += at;
        arrays.gradient = sums;
        arrays.first += at;
        if (arrays.second)
            arrays.second += at;
        if (arrays.copy)
            arrays.copy = (stored *)arrays.copy + at;
        TEXT_NAME(learn).run(learn->rule, &arrays, 0, count);
    }
    learn->reached[row] = 1;
}

/* Where the first byte of value `value` is among begin .. end - 1, or end. */
static long next_byte(const uint8_t *bytes, int value, long begin, long end)
{
    const uint8_t *found = memchr(bytes + begin, value, (size_t)(end - begin));

    return found ? found - bytes : end;
}

/* The step of rows that no token has: of those that may move. */
static void learn_idle(const struct embedding *embedding, const struct embedding_learn *learn,
                       long begin, long end)
{
    bool all = learn->rule->weight_decay != 0;
    struct learn_arrays idle = learn->arrays;

    idle.gradient = NULL;
    for (long row = begin, next; row < end; row = next) {
        if (!all)
            row = next_byte(learn->reached, 1, row, end);
        next = all ? end : next_byte(learn->reached, 0, row, end);
        TEXT_NAME(learn).run(learn->rule, &idle, row * embedding->width, next * embedding->width);
    }
}

static void learn(const struct embedding *embedding, const struct embedding_order *order,
                  const float *gradient, const long begin_and_end[2],
                  const struct embedding_learn *learn)
{
    long end = begin_and_end[1], place = place_of(embedding, order, begin_and_end[0]), last;

    for (long row = begin_and_end[0]; row < end; row++) {
        long next = place < embedding->count ? embedding->tokens[order->places[place]] : end;

        next = next < end ? next : end;
        learn_idle(embedding, learn, row, next);
        row = next;
        if (row < end) {
            last = same_token(embedding, order, place);
            learn_row(embedding, order, (const long[]){place, last}, gradient, learn);
            place = last;
        }
    }
}

extern const struct embedding_kernel TEXT_NAME(embedding);
const struct embedding_kernel TEXT_NAME(embedding) = {
    .look_up = look_up,
    .sort = sort,
    .gradient = gradient_of,
    .learn = learn,
};
