#include "engine/train/threads/arena.h"

#include "common/cleanup.h"
#include "engine/train/threads/host.h"

#include <assert.h>

/* Passes read several buffers in step. If those began at equal low address bits, they would push
 * each other out of the nearest cache: so each begins some lines and pages behind a grain. */
#define GRAIN ((size_t)64 << 10)
#define STAGGER ((size_t)(4096 + 256 + 64))
#define STAGGERS 15
_Static_assert(STAGGER % 64 == 0, "a buffer begins at a cache line");
_Static_assert(HOST_HUGE_PAGE % GRAIN == 0, "a huge page is whole grains");

int arena_ask(struct arena *arena, size_t bytes, int first, int last)
{
    int number = arena->count;

    assert(first <= last && !arena->memory); /* asked before it is taken */
    if (number == ARENA_MAX)
        return -1;
    bytes += STAGGER * ((size_t)number % STAGGERS);
    arena->buffers[arena->count++] = (struct arena_buffer){
        .bytes = (bytes + GRAIN - 1) & ~(GRAIN - 1), .first = first, .last = last};
    return number;
}

static bool arena_overlap(const struct arena_buffer *a, const struct arena_buffer *b)
{
    return a->first <= b->last && b->first <= a->last && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

/* The lowest place where `buffer` meets none of those that are placed. */
static void arena_place(struct arena_buffer *buffer, struct arena_buffer *const placed[],
                        int count)
{
    bool moved = true;

    buffer->offset = 0;
    while (moved) {
        moved = false;
        for (int i = 0; i < count; i++)
            if (arena_overlap(buffer, placed[i])) {
                buffer->offset = placed[i]->offset + placed[i]->bytes;
                moved = true;
            }
    }
}

static int by_size(const void *left, const void *right)
{
    const struct arena_buffer *a = *(struct arena_buffer *const *)left;
    const struct arena_buffer *b = *(struct arena_buffer *const *)right;

    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return a < b ? -1 : 1; /* so that the layout is the same each time */
}

void arena_lay_out(struct arena *arena)
{
    struct arena_buffer *order[ARENA_MAX];

    for (int i = 0; i < arena->count; i++)
        order[i] = &arena->buffers[i];
    qsort(order, (size_t)arena->count, sizeof order[0], by_size);
    arena->total = 0;
    for (int i = 0; i < arena->count; i++) {
        size_t end;

        arena_place(order[i], order, i);
        end = order[i]->offset + order[i]->bytes;
        arena->total = end > arena->total ? end : arena->total;
    }
}

bool arena_take(struct arena *arena, struct error *err)
{
    size_t size = (arena->total + HOST_HUGE_PAGE - 1) & ~(HOST_HUGE_PAGE - 1);

    assert(!arena->memory);
    arena->memory = aligned_alloc(HOST_HUGE_PAGE, size ? size : HOST_HUGE_PAGE);
    if (!arena->memory)
        return error_set(err, ERROR_INTERNAL, NULL, "no memory for %zu MiB", size >> 20);
    arena->huge_pages = host_ask_huge_pages(arena->memory, size);
    return true;
}

void *arena_at(const struct arena *arena, int number)
{
    assert(arena->memory && number >= 0 && number < arena->count);
    return arena->memory + arena->buffers[number].offset + STAGGER * ((size_t)number % STAGGERS);
}

void arena_free(struct arena *arena)
{
    freep(&arena->memory);
}
