#include "engine/train/threads/arena.h"

#include "tests/test.h"

#include <stdint.h>

static bool share(const struct arena *arena, int a, int b)
{
    const struct arena_buffer *x = &arena->buffers[a], *y = &arena->buffers[b];

    return x->offset < y->offset + y->bytes && y->offset < x->offset + x->bytes;
}

TEST(buffers_needed_at_the_same_time_are_apart)
{
    struct arena arena = {0};
    uint32_t state = 1;

    for (int i = 0; i < 100; i++) {
        int first = (int)((state = state * 1664525 + 1013904223) >> 27);
        int length = (int)((state = state * 1664525 + 1013904223) >> 28);

        EXPECT_INT(arena_ask(&arena, 1000 + state % 100000, first, first + length), i);
    }
    arena_lay_out(&arena);
    for (int a = 0; a < 100; a++)
        for (int b = 0; b < a; b++) {
            const struct arena_buffer *x = &arena.buffers[a], *y = &arena.buffers[b];

            EXPECT(!share(&arena, a, b) || x->last < y->first || y->last < x->first);
        }
}

TEST(buffers_needed_one_after_the_other_share_a_place)
{
    struct arena arena = {0};

    for (int i = 0; i < 10; i++)
        arena_ask(&arena, 1 << 20, 2 * i, 2 * i + 1);
    arena_lay_out(&arena);
    EXPECT(arena.total < (size_t)2 << 20);
    arena_ask(&arena, 1 << 20, 0, 19);
    arena_lay_out(&arena);
    EXPECT(arena.total >= (size_t)2 << 20);
}

TEST(every_byte_asked_for_can_be_written)
{
    struct arena arena = {0};

    for (int i = 0; i < 40; i++)
        arena_ask(&arena, 10000, 0, i);
    arena_lay_out(&arena);
    EXPECT(arena_take(&arena, NULL));
    for (int i = 0; i < 40; i++) {
        EXPECT_INT((uintptr_t)arena_at(&arena, i) % 64, 0);
        memset(arena_at(&arena, i), i, 10000);
    }
    for (int i = 0; i < 40; i++) {
        const char *bytes = arena_at(&arena, i);

        EXPECT_INT(bytes[0], i);
        EXPECT_INT(bytes[9999], i);
    }
    arena_free(&arena);
}

TEST(buffers_begin_at_different_low_addresses)
{
    struct arena arena = {0};

    for (int i = 0; i < 4; i++)
        arena_ask(&arena, 1 << 20, 0, 0);
    arena_lay_out(&arena);
    EXPECT(arena_take(&arena, NULL));
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++)
            EXPECT((uintptr_t)arena_at(&arena, a) % 4096 !=
                   (uintptr_t)arena_at(&arena, b) % 4096);
    arena_free(&arena);
}

TEST(too_many_are_refused)
{
    struct arena arena = {0};

    for (int i = 0; i < ARENA_MAX; i++)
        EXPECT_INT(arena_ask(&arena, 1, 0, 0), i);
    EXPECT_INT(arena_ask(&arena, 1, 0, 0), -1);
}
