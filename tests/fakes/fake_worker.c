/* A worker that does what its first argument says: fake-worker BEHAVIOUR [MILLISECONDS a step
 * [FILE]].
 * Written without the engine's own event writer where it is to misbehave. */
#include "common/cleanup.h"
#include "engine/run/pace.h"
#include "engine/spec/run_spec.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long step_ms = 1;
static bool talkative; /* tells all that may be left out */
static bool deaf;      /* to "enough" */
static long speed;     /* nanoseconds that a step says it took; 0: as long as it did */
static bool singing;   /* a canary before the steps and one behind them */
static bool wavering;  /* in another voice: the clock a fifth slower, copies by 5 % */
static bool unlearning;
static bool askew;    /* its gradient is at an angle to the one in f32 */
static bool noisy;    /* steps take up to a fifth less or more */
static long stuck_at; /* the step that takes for ever, or 0 */

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
            "\"isa\":\"avx2\",\"plan\":\"fixed\",\"layout\":\"nhwc\",\"threads\":3,"
            "\"parameters\":25557032,"
            "\"multiply_adds\":1000000,\"backward_multiply_adds\":2000000,\"memory_bytes\":8192,"
            "\"step_bytes\":5000000,\"peak_unit\":\"FMA 256 bits\","
            "\"peak_multiply_adds_per_second\":400000000000,"
            "\"peak_read_bytes_per_second\":20000000000,\"emulated\":true,"
            "\"huge_pages\":false}");
    else
        say("{\"type\":\"hello\",\"protocol\":1,\"software\":\"fake-worker\"}");
}

/* 0 to 32767, the same ones in each process. */
static long noise(void)
{
    static unsigned long state = 1;

    state = (state * 1103515245UL + 12345UL) & 0x7fffffffUL;
    return (long)(state >> 16);
}

static void step(long long index)
{
    long nanoseconds = step_ms > 0 ? step_ms * 1000000 : 1000, tenth = nanoseconds / 10;

    if (stuck_at > 0 && index == stuck_at)
        pause_ms(600000);
    if (speed > 0)
        nanoseconds = speed;
    if (noisy)
        nanoseconds += (long)(noise() % 401 - 200) * (nanoseconds / 1000);
    if (speed > 0)
        ; /* it only says so */
    else if (step_ms > 0)
        pause_ms(step_ms);
    printf("{\"type\":\"step\",\"index\":%lld,\"nanoseconds\":%ld,\"loss\":%.3f", index,
           nanoseconds, unlearning ? 1 + 0.01 * (double)index : 5.0 / (double)(index + 1));
    if (talkative)
        printf(",\"split\":{\"input\":%ld,\"forward\":%ld,\"backward\":%ld,\"update\":0}", tenth,
               3 * tenth, 5 * tenth);
    puts("}");
    fflush(stdout);
}

static void write_canary(bool is_last)
{
    bool other = wavering && is_last;

    if (singing)
        printf("{\"type\":\"canary\",\"hertz\":%.1f,\"copy_bytes_per_second\":%.1f}\n",
               other ? 2.4e9 : 3e9, other ? 9.5e9 : 1e10);
}

static int has_received_enough(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};

    return !deaf && poll(&input, 1, 0) > 0;
}

static int steps(long long count)
{
    long long index = 0;

    write_canary(false);
    for (; index < count && !has_received_enough(); index++)
        step(index);
    write_canary(true);
    printf("{\"type\":\"done\",\"steps\":%lld", index);
    if (talkative)
        printf(",\"samples\":%lld,\"peak_memory_bytes\":1048576,\"implementations\":"
               "{\"conv1\":{\"forward\":\"jit:avx2\",\"backward\":\"ref:any\"},\"fc\":{}}",
               32 * index);
    puts(askew ? ",\"gradient_cosine\":0.5}" : "}");
    fflush(stdout);
    return 0;
}

/* Those that behave well, and tell something that the server has to judge. */
static bool is_well_behaved(const char *behaviour)
{
    wavering = strcmp(behaviour, "wavering") == 0;
    singing = wavering || strcmp(behaviour, "singing") == 0;
    unlearning = unlearning || strcmp(behaviour, "unlearning") == 0;
    askew = strcmp(behaviour, "askew") == 0;
    return talkative || singing || askew || unlearning || speed > 0 || stuck_at > 0 ||
           strcmp(behaviour, "ok") == 0 || strcmp(behaviour, "slow") == 0;
}

/* Whether the file was not there; it is from now on. What a first run does, and no other. */
static bool is_first(const char *file)
{
    int descriptor = file ? open(file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) : -1;

    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
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

/* Its grandchild leaves its session and its environment behind, as a daemon does. */
static int with_daemon(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            char *const nothing[] = {NULL};
            char *const sleeper[] = {(char[]){"sleep"}, (char[]){"600"}, NULL};

            execve("/bin/sleep", sleeper, nothing);
        }
        _exit(0);
    }
    wait(NULL);
    return 0;
}

/* Those that say how long their steps took. */
static void pretend(const char *behaviour, const struct run_spec *spec, const char *file)
{
    if (strcmp(behaviour, "speed") == 0)
        speed = 1000000 + 10000 * (long)spec->batch_size; /* the larger the batch the better */
    /* step_ms a step, with each process up to half a percent faster or slower. */
    if (strcmp(behaviour, "paced") == 0 || strcmp(behaviour, "disturbed") == 0)
        speed = step_ms * (1000 + (long)(getpid() % 11) - 5);
    if (strcmp(behaviour, "noisy") == 0)
        speed = step_ms * 1000;
    noisy = strcmp(behaviour, "noisy") == 0;
    /* Its loss rises, which makes a run invalid: each time, or, with a file, the first time. */
    unlearning = strcmp(behaviour, "disturbed") == 0 && (!file || is_first(file));
    /* With a file, only its first run ends. */
    stuck_at = strcmp(behaviour, "stuck") == 0 ||
                       (strcmp(behaviour, "paced") == 0 && file && !is_first(file))
                   ? 5
                   : 0;
}

static int behave(const char *behaviour, const struct run_spec *spec, const char *file)
{
    long long most = pace_steps_max(spec);

    if (strcmp(behaviour, "exit") == 0)
        return 7;
    if (strcmp(behaviour, "stubborn") == 0)
        signal(SIGTERM, SIG_IGN); /* before the first line, so that no signal comes too early */
    deaf = strcmp(behaviour, "too-many") == 0;
    talkative = strcmp(behaviour, "talkative") == 0;
    pretend(behaviour, spec, file);
    hello();
    if (is_well_behaved(behaviour))
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
    if (strcmp(behaviour, "gap") == 0)
        step(2);
    if (strcmp(behaviour, "silent") == 0 || strcmp(behaviour, "stubborn") == 0)
        pause_ms(600000);
    if (strcmp(behaviour, "endless") == 0)
        return endless_line();
    if (strcmp(behaviour, "failed") == 0)
        say("{\"type\":\"failed\",\"message\":\"no such precision here\"}");
    if (strcmp(behaviour, "family") == 0)
        return with_child();
    if (strcmp(behaviour, "daemon") == 0)
        return with_daemon();
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
    return behave(argc > 1 ? argv[1] : "ok", &spec, argc > 3 ? argv[3] : NULL);
}
