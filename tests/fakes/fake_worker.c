/* A worker that does what its first argument says: fake-worker BEHAVIOUR [MILLISECONDS a step].
 * Written without the engine's own event writer where it is to misbehave. */
#include "common/cleanup.h"
#include "engine/pace.h"
#include "engine/run_spec.h"

#include <poll.h>
#include <signal.h>
#include <time.h>

static long step_ms = 1;
static bool talkative; /* tells all that may be left out */
static bool deaf;      /* to "enough" */
static long speed;     /* nanoseconds that a step says it took; 0: as long as it did */

static void pause_ms(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static void say(const char *line)
{
    fputs(line, stdout);
    fputc('\n', stdout);
    fflush(stdout);
}

static void hello(void)
{
    if (talkative)
        say("{\"type\":\"hello\",\"protocol\":1,\"software\":\"fake-worker\",\"library\":\"none "
            "1\","
            "\"isa\":\"avx2\",\"plan\":\"fixed\",\"threads\":3,\"parameters\":25557032,"
            "\"multiply_adds\":4089184256,\"memory_bytes\":8192,\"emulated\":true,"
            "\"huge_pages\":false}");
    else
        say("{\"type\":\"hello\",\"protocol\":1,\"software\":\"fake-worker\"}");
}

static void step(long long index)
{
    long nanoseconds = step_ms > 0 ? step_ms * 1000000 : 1000, tenth = nanoseconds / 10;

    if (speed > 0)
        nanoseconds = speed;
    else if (step_ms > 0)
        pause_ms(step_ms);
    printf("{\"type\":\"step\",\"index\":%lld,\"nanoseconds\":%ld,\"loss\":%.3f", index,
           nanoseconds, 5.0 / (double)(index + 1));
    if (talkative)
        printf(",\"split\":{\"input\":%ld,\"forward\":%ld,\"backward\":%ld,\"update\":0}", tenth,
               3 * tenth, 5 * tenth);
    puts("}");
    fflush(stdout);
}

static int told_enough(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};

    return !deaf && poll(&input, 1, 0) > 0;
}

static int steps(long long count)
{
    long long index = 0;

    for (; index < count && !told_enough(); index++)
        step(index);
    printf("{\"type\":\"done\",\"steps\":%lld", index);
    if (talkative)
        printf(",\"samples\":%lld,\"peak_memory_bytes\":1048576,\"implementations\":"
               "{\"conv1\":{\"forward\":\"jit:avx2\",\"backward\":\"ref:any\"},\"fc\":{}}",
               32 * index);
    puts("}");
    fflush(stdout);
    return 0;
}

static int endless_line(void)
{
    char piece[4096];

    memset(piece, 'x', sizeof piece);
    for (;;)
        if (write(1, piece, sizeof piece) < 0)
            return 1;
}

static int with_child(void)
{
    if (fork() == 0) {
        pause_ms(600000);
        _exit(0);
    }
    pause_ms(600000);
    return 0;
}

static int behave(const char *behaviour, const struct run_spec *spec)
{
    long long most = pace_steps_max(spec);

    if (strcmp(behaviour, "wrong-protocol") == 0)
        return say("{\"type\":\"hello\",\"protocol\":2}"), 0;
    if (strcmp(behaviour, "no-hello") == 0)
        return step(0), 0;
    if (strcmp(behaviour, "exit") == 0)
        return 7;
    if (strcmp(behaviour, "stubborn") == 0)
        signal(SIGTERM, SIG_IGN); /* before its first word, so that nobody comes too early */
    deaf = strcmp(behaviour, "too-many") == 0;
    talkative = strcmp(behaviour, "talkative") == 0;
    if (strcmp(behaviour, "speed") == 0)
        speed = 1000000 + 10000 * (long)spec->batch_size; /* the larger the batch the better */
    hello();
    if (talkative || speed > 0 || strcmp(behaviour, "ok") == 0 || strcmp(behaviour, "slow") == 0)
        return steps(most);
    if (strcmp(behaviour, "too-many") == 0)
        return steps(most + 1);
    step(0);
    if (strcmp(behaviour, "crash") == 0) {
        fputs("about to crash\n", stderr);
        abort();
    }
    if (strcmp(behaviour, "garbage") == 0)
        say("this is not JSON \xff\xfe");
    if (strcmp(behaviour, "split") == 0)
        say("{\"type\":\"step\",\"index\":1,\"nanoseconds\":1000,\"loss\":1,\"split\":"
            "{\"input\":0,\"forward\":400,\"backward\":500,\"update\":101}}");
    if (strcmp(behaviour, "gap") == 0)
        step(2);
    if (strcmp(behaviour, "silent") == 0 || strcmp(behaviour, "stubborn") == 0)
        pause_ms(600000);
    if (strcmp(behaviour, "endless") == 0)
        return endless_line();
    if (strcmp(behaviour, "failed") == 0)
        say("{\"type\":\"failed\",\"message\":\"no such precision here\"}");
    if (strcmp(behaviour, "miscount") == 0)
        say("{\"type\":\"done\",\"steps\":5}");
    if (strcmp(behaviour, "family") == 0)
        return with_child();
    return 0; /* also "no-done" */
}

int main(int argc, char *argv[])
{
    AUTO(freep) char *line = NULL;
    struct error err = {0};
    struct run_spec spec;
    size_t size = 0;
    ssize_t length;

    setvbuf(stdin, NULL, _IONBF, 0);
    length = getline(&line, &size, stdin);
    if (argc > 2)
        step_ms = strtol(argv[2], NULL, 10);
    if (length <= 0 || !run_spec_from_text(line, (size_t)length, &spec, &err)) {
        fprintf(stderr, "fake-worker: %s\n", err.message);
        return 2;
    }
    return behave(argc > 1 ? argv[1] : "ok", &spec);
}
