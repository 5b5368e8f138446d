/* Property: how the pipe happens to cut a worker's bytes must not change what we read: not the
 * lines, not the events, not where the conversation breaks off, nor why. And the lines are what
 * stands between the newlines, hello comes first and once, no sum overflows, and every event can
 * be written again. */
#include "common/cleanup.h"
#include "engine/protocol/dialogue.h"
#include "engine/protocol/lines.h"
#include "engine/run/pace.h"
#include "tests/fuzz/fuzz.h"

#define STEPS_MAX 20

struct reader {
    struct lines lines;
    struct dialogue dialogue;
    struct pace pace;
    const char *at; /* where the next line starts in the input */
    long long accepted;
    uint64_t digest;
    struct error err;
    bool ok;
};

static void add(struct reader *reader, const void *data, size_t size)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < size; i++)
        reader->digest = (reader->digest ^ bytes[i]) * 0x100000001b3u;
}

static void check_split(long long nanoseconds, const struct step_split *split)
{
    const long long parts[] = {split->input, split->forward, split->backward, split->update};

    for (size_t i = 0; i < 4; i++) {
        ALWAYS(parts[i] >= 0 && (parts[i] == 0 || parts[i] <= nanoseconds));
        nanoseconds -= parts[i];
    }
}

/* What was read can be written, and reads as the same again. */
static void check_that_it_can_be_written(const struct event *event)
{
    char *first = NULL, *second = NULL;
    size_t first_size, second_size;
    struct event again = {0};
    FILE *out = open_memstream(&first, &first_size);

    ALWAYS(out && event_write(out, event, NULL));
    fclose(out);
    ALWAYS(first_size <= WORKER_LINE_MAX + 1);
    ALWAYS(event_read(first, first_size - 1, &again, NULL));
    out = open_memstream(&second, &second_size);
    ALWAYS(out && event_write(out, &again, NULL));
    fclose(out);
    ALWAYS(first_size == second_size && memcmp(first, second, first_size) == 0);
    event_clear(&again);
    free(first);
    free(second);
}

static void check_event(const struct event *event)
{
    if (event->type == EVENT_HELLO)
        ALWAYS(strlen(event->hello.software) < sizeof event->hello.software &&
               event->hello.details.threads >= 0 && event->hello.details.memory_bytes >= 0);
    if (event->type == EVENT_STEP)
        check_split(event->step.nanoseconds, &event->step.split);
    if (event->type == EVENT_DONE)
        ALWAYS(event->done.samples >= 0 && event->done.peak_memory_bytes >= 0);
    if (event->type == EVENT_FAILED)
        ALWAYS(strlen(event->failed.message) < sizeof event->failed.message);
    check_that_it_can_be_written(event);
}

static bool on_line(const char *line, size_t length, void *user, struct error *err)
{
    struct reader *reader = user;
    AUTO(event_clear) struct event event = {0};

    ALWAYS(length <= WORKER_LINE_MAX && !memchr(line, '\n', length));
    ALWAYS(memcmp(line, reader->at, length) == 0 && reader->at[length] == '\n');
    reader->at += length + 1;
    add(reader, line, length);
    if (!event_read(line, length, &event, err))
        return false;
    check_event(&event);
    add(reader, &event.type, sizeof event.type);
    if (!dialogue_accept(&reader->dialogue, &event, err))
        return false;
    ALWAYS((event.type == EVENT_HELLO) == (reader->accepted == 0));
    reader->accepted++;
    if (event.type == EVENT_STEP) {
        ALWAYS(event.step.index == (long long)reader->pace.steps);
        pace_step(&reader->pace, event.step.nanoseconds);
    }
    return true;
}

static void start(struct reader *reader, const char *data)
{
    struct run_spec spec = run_spec_default();

    spec.warmup_steps = 2;
    spec.steps = STEPS_MAX - 2;
    pace_free(&reader->pace);
    pace_start(&reader->pace, &spec, 0);
    reader->lines.used = 0;
    reader->dialogue = (struct dialogue){.steps_max = STEPS_MAX};
    reader->at = data;
    reader->accepted = 0;
    reader->digest = 0;
    reader->err = (struct error){0};
    reader->ok = true;
}

/* `seed` 0 cuts after every byte, anything else at places that follow from it. */
static void read_in_pieces(struct reader *reader, const char *data, size_t size, uint32_t seed)
{
    start(reader, data);
    while (size > 0 && reader->ok) {
        size_t piece = 1;

        if (seed) {
            seed = seed * 1664525u + 1013904223u;
            piece = (seed >> 24) % 61 + 1;
        }
        piece = piece < size ? piece : size;
        reader->ok = lines_feed(&reader->lines, data, piece, on_line, reader, &reader->err);
        data += piece;
        size -= piece;
    }
}

FUZZ(data, size)
{
    static struct reader whole, pieces;

    start(&whole, (const char *)data);
    if (size > 0)
        whole.ok =
            lines_feed(&whole.lines, (const char *)data, size, on_line, &whole, &whole.err);
    ALWAYS(whole.ok || whole.err.kind == ERROR_UPSTREAM);
    ALWAYS(whole.pace.steps <= STEPS_MAX && whole.pace.total_ns >= 0);
    ALWAYS(whole.pace.warmup_ns >= 0);
    for (uint32_t seed = 0; seed < 3; seed++) {
        read_in_pieces(&pieces, (const char *)data, size, seed);
        ALWAYS(pieces.ok == whole.ok && pieces.digest == whole.digest);
        ALWAYS(strcmp(pieces.err.message, whole.err.message) == 0);
        ALWAYS(pieces.pace.total_ns == whole.pace.total_ns);
        ALWAYS(pieces.dialogue.done == whole.dialogue.done);
        ALWAYS(!whole.ok || pieces.lines.used == whole.lines.used);
    }
}
