/* Reads a feed from files, as fast as it goes: read-feed [OPTION...] SOURCE SCOPE FILE...
 *
 * One file is one page's body, in the order in which the reader asks; the small index of versions
 * that precedes AWS's price list is made up where it is asked for, unless --asked is given.
 *   --pieces BYTES   how much the reader gets at once (16384)
 *   --address TEXT   what the feed calls the scope, as in "US East (N. Virginia)"
 *   --prices         prints lines "type price" instead of the figures, which go to stderr
 *   --asked          nothing is made up; the addresses asked for are printed to stderr
 *   --committed      prices of commitments are read, too */
#include "common/cleanup.h"
#include "common/clock.h"
#include "pricing/feeds/json_page.h"
#include "pricing/feeds/source.h"

#include <errno.h>
#include <getopt.h>

struct feeding {
    const struct reader_ops *ops;
    void *reader;
    size_t piece;
    bool prints_prices, tells_urls;
    struct reading reading;
    char *const *files; /* NULL-terminated, those still to come */
    char *buffer;       /* of `piece` bytes */
    long long bytes;
};

static bool take_file(struct feeding *feeding, const char *path, struct error *err)
{
    AUTO(fclosep) FILE *file = fopen(path, "rbe");
    enum fetch_take taken = TAKE_MORE;

    if (!file)
        return error_set(err, ERROR_INVALID, NULL, "%s: %s", path, strerror(errno));
    setvbuf(file, NULL, _IONBF, 0);
    while (taken == TAKE_MORE) {
        size_t length = fread(feeding->buffer, 1, feeding->piece, file);

        if (length == 0)
            break;
        feeding->bytes += (long long)length;
        taken = feeding->ops->take(feeding->reader, feeding->buffer, length, err);
    }
    if (ferror(file))
        return error_set(err, ERROR_INVALID, NULL, "%s cannot be read", path);
    return taken != TAKE_FAILED;
}

static bool take_index(struct feeding *feeding, struct error *err)
{
    const char *scope = feeding->reading.scope.name;
    char text[256];

    snprintf(text, sizeof text,
             "{\"regions\":{\"%s\":{\"currentVersionUrl\":\"/offers/v1.0/aws/AmazonEC2/1/%s/"
             "index.json\"}}}",
             scope, scope);
    return feeding->ops->take(feeding->reader, text, strlen(text), err) != TAKE_FAILED;
}

static bool take_page(struct feeding *feeding, const struct fetch_request *request,
                      struct error *err)
{
    if (feeding->tells_urls)
        fprintf(stderr, "%s\n", request->url);
    else if (strstr(request->url, "region_index.json"))
        return take_index(feeding, err);
    if (!*feeding->files)
        return error_set(err, ERROR_INVALID, NULL, "another file is needed, for %s",
                         request->url);
    return take_file(feeding, *feeding->files++, err);
}

static enum reading_state walk(struct feeding *feeding, struct error *err)
{
    const struct fetch_response response = {.status = 200, .retry_after_seconds = -1};
    enum reading_state state = READING_ASKS;

    feeding->reader = reader_open(feeding->ops, &feeding->reading, err);
    if (!feeding->reader)
        return READING_FAILED;
    while (state == READING_ASKS) {
        struct fetch_request request = {.max_bytes = feeding->reading.source->max_bytes};

        if (!feeding->ops->ask(feeding->reader, &request, err) ||
            !take_page(feeding, &request, err))
            state = READING_FAILED;
        else
            state = feeding->ops->page(feeding->reader, &response, err);
    }
    feeding->ops->close(feeding->reader);
    return state;
}

/* Of this program alone, unlike getrusage()'s, which begins with what the parent had. 0 where it
 * is unknown. */
static double peak_megabytes(void)
{
    AUTO(fclosep) FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    long long kibibytes;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lld", &kibibytes) == 1)
            return (double)kibibytes * 1024 / 1e6;
    return 0;
}

static void tell(const struct feeding *feeding, long long nanoseconds)
{
    FILE *out = feeding->prints_prices ? stderr : stdout;
    double seconds = (double)nanoseconds / 1e9, megabytes = (double)feeding->bytes / 1e6;
    const struct price *price;
    size_t position = 0;

    while (feeding->prints_prices &&
           (price = price_batch_next(feeding->reading.batch, &position)) != NULL)
        printf("%s %s\n", price->instance_type, price->text);
    fprintf(out, "prices %zu, %.1f MB read, %.3f seconds, %.1f MB/s, peak RSS %.1f MB\n",
            price_batch_count(feeding->reading.batch), megabytes, seconds, megabytes / seconds,
            peak_megabytes());
}

static bool options(struct feeding *feeding, int argc, char **argv)
{
    static const struct option known[] = {
        {"pieces", required_argument, NULL, 'p'}, {"address", required_argument, NULL, 'a'},
        {"prices", no_argument, NULL, 'l'},       {"asked", no_argument, NULL, 'u'},
        {"committed", no_argument, NULL, 'c'},    {0}};
    char *address = feeding->reading.scope.address;
    int option;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        long long bytes = option == 'p' ? strtoll(optarg, NULL, 10) : 0;

        if (option == '?' || (option == 'p' && (bytes < 1 || bytes > 1 << 30)))
            return false;
        if (option == 'p')
            feeding->piece = (size_t)bytes;
        if (option == 'a')
            snprintf(address, sizeof feeding->reading.scope.address, "%s", optarg);
        feeding->prints_prices |= option == 'l';
        feeding->tells_urls |= option == 'u';
        feeding->reading.committed |= option == 'c';
    }
    return argc - optind >= 3;
}

int main(int argc, char **argv)
{
    AUTO(price_batch_freep) struct price_batch *batch = NULL;
    AUTO(freep) char *buffer = NULL;
    static struct feeding feeding = {.piece = 16384};
    struct reading *reading = &feeding.reading;
    struct error err = {0};
    long long start;

    if (!options(&feeding, argc, argv))
        return fputs("read-feed [OPTION...] SOURCE SCOPE FILE...; read_feed.c says more\n",
                     stderr),
               2;
    reading->source = source_find(argv[optind]);
    if (!reading->source)
        return fprintf(stderr, "read-feed: there is no source %s\n", argv[optind]), 2;
    snprintf(reading->scope.name, sizeof reading->scope.name, "%s", argv[optind + 1]);
    reading->url = reading->source->url;
    reading->types = reading->etag = reading->last_modified = reading->mark = "";
    reading->key = "none";
    reading->now_us = clock_calendar_us();
    feeding.files = argv + optind + 2;
    feeding.ops = reading->source->read;
    feeding.buffer = buffer = malloc(feeding.piece);
    reading->batch = batch = price_batch_new(reading->source->name, reading->now_us);
    start = clock_monotonic_ns();
    if (!buffer || walk(&feeding, &err) != READING_DONE)
        return fprintf(stderr, "read-feed: %s\n", err.message), 1;
    tell(&feeding, clock_monotonic_ns() - start);
    return 0;
}
