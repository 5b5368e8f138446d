/* Property: whatever bytes clients send, in whatever pieces, and however they end, a whole server
 * answers with responses of HTTP/1 or not at all, never with a 500, and then serves a healthy
 * client; when it stops, nothing is left (which LeakSanitizer looks at).
 *
 * The input is what two connections carry. The byte FF and one more are an order; any other byte
 * is sent as it is:
 *     FF 01  what follows is a packet of its own      FF 04  read what has been answered
 *     FF 02  the client sends no more (half-closed)   FF 05  go on with the other connection
 *     FF 03  the client resets its connection         FF xx  the byte xx
 * The server is the one that `serve` runs, with a database in a folder of its own; it is stopped
 * and begun anew after SERVES inputs. */
#include "common/cleanup.h"
#include "server/base/log.h"
#include "server/cli/config/config_read.h"
#include "server/cli/process.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SERVES 512          /* inputs before the next server */
#define HEALTHY_EVERY 16    /* inputs */
#define PACKETS_MAX 32      /* of an input: each costs a pause */
#define PACKET_NS 100000    /* in which the server reads a packet */
#define QUIET_MS 10         /* without an answer; what is held for longer is not waited for */
#define PATIENCE_MS 60000   /* with a healthy client */
#define ANSWERS_MAX 1048576 /* bytes of a connection that are looked at */

enum order { ORDER_SPLIT = 1, ORDER_HALF_CLOSE, ORDER_RESET, ORDER_READ, ORDER_OTHER };

struct link {
    int descriptor; /* -1 once it is closed */
    bool sends;
    struct bytes answers;
};

static struct {
    char folder[64];
    struct config config;
    struct process *process;
    long long inputs;
} server;

static void empty_folder(void)
{
    DIR *files = opendir(server.folder);
    struct dirent *entry;

    while (files && (entry = readdir(files)) != NULL)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(files), entry->d_name, 0);
    if (files)
        closedir(files);
}

static void stop(void)
{
    if (!server.process)
        return;
    http_quiesce(server.process->http);
    process_end(server.process);
    freep(&server.process);
    empty_folder();
}

static void stop_for_good(void)
{
    stop();
    rmdir(server.folder);
}

static void configure(void)
{
    static char database[80];
    static const char *const arguments[] = {
        "pennyworth",     "serve",   "--port",        "0",
        "--database",     database,  "--engine",      "ok=/bin/false",
        "--feed",         "all=off", "--metadata",    "off",
        "--published",    "off",     "--audit",       "/dev/null",
        "--http-threads", "1",       "--reserve-mib", "1"};
    static char *environment[] = {NULL};
    struct error err = {0};

    snprintf(server.folder, sizeof server.folder, "%s/pennyworth-wire-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    ALWAYS(mkdtemp(server.folder));
    snprintf(database, sizeof database, "%s/wire.db", server.folder);
    /* The cast drops const: nothing is written. */
    ALWAYS(config_read((int)COUNT(arguments), (char *const *)(size_t)arguments, environment,
                       &server.config, &err) == CONFIG_OK);
    log_set_level(LOG_ERROR);
    signal(SIGPIPE, SIG_IGN);
    atexit(stop_for_good);
}

/* The server that this input meets. */
static void begin(void)
{
    struct error err = {0};

    if (!server.folder[0])
        configure();
    if (server.inputs++ % SERVES == 0)
        stop();
    if (server.process)
        return;
    server.process = process_new(&server.config, &err);
    if (!server.process || !process_begin(server.process, true, &err)) {
        fprintf(stderr, "the server does not begin: %s\n", err.message);
        abort();
    }
}

/* Each from an address of its own, or the ports of one would be used up. */
static int open_link(void)
{
    static unsigned opened;
    const int yes = 1;
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)http_port(server.process->http)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in from = {.sin_family = AF_INET};
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 256 + opened++ % 65536);
    ALWAYS(descriptor >= 0);
    ALWAYS(bind(descriptor, (const struct sockaddr *)&from, sizeof from) == 0);
    /* The fuzzer's timer interrupts; what it interrupted may have happened by the second try. */
    ALWAYS(TEMP_FAILURE_RETRY(connect(descriptor, (const struct sockaddr *)&at, sizeof at)) ==
               0 ||
           errno == EISCONN);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return descriptor;
}

static void close_link(struct link *link)
{
    const struct linger reset = {.l_onoff = 1};

    if (link->descriptor < 0)
        return;
    setsockopt(link->descriptor, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    closep(&link->descriptor);
}

/* Reads until the end, an error, or a pause of that length. */
static void read_answers(struct link *link, int quiet_ms)
{
    struct pollfd wait = {.fd = link->descriptor, .events = POLLIN};
    char buffer[16384];
    ssize_t length;

    while (link->descriptor >= 0 && TEMP_FAILURE_RETRY(poll(&wait, 1, quiet_ms)) > 0) {
        length = recv(link->descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
        if (length <= 0 || !bytes_add(&link->answers, buffer, (size_t)length))
            return;
    }
}

static void pause_for_packet(void)
{
    const struct timespec moment = {.tv_nsec = PACKET_NS};

    nanosleep(&moment, NULL);
}

static void send_bytes(struct link *link, const uint8_t *data, size_t size)
{
    if (link->descriptor >= 0 && link->sends && size > 0)
        (void)!send(link->descriptor, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void obey(struct link *link, enum order order)
{
    if (link->descriptor < 0)
        return;
    if (order == ORDER_SPLIT) {
        pause_for_packet();
    } else if (order == ORDER_HALF_CLOSE) {
        shutdown(link->descriptor, SHUT_WR);
        link->sends = false;
    } else if (order == ORDER_RESET) {
        close_link(link);
    } else if (order == ORDER_READ) {
        read_answers(link, 1);
    }
}

/* Sends an input; orders beyond PACKETS_MAX are bytes. */
static void play(struct link links[2], const uint8_t *data, size_t size)
{
    struct link *link = &links[0];
    size_t start = 0;
    int orders = 0;

    for (size_t i = 0; i + 1 < size; i++) {
        if (data[i] != 0xff || orders == PACKETS_MAX)
            continue;
        send_bytes(link, data + start, i - start);
        start = i + 2;
        orders++;
        if (data[i + 1] == ORDER_OTHER)
            link = link == links ? links + 1 : links;
        else if (data[i + 1] < ORDER_OTHER && data[i + 1] > 0)
            obey(link, data[i + 1]);
        else
            start--; /* the byte itself */
        i++;
    }
    if (start < size)
        send_bytes(link, data + start, size - start);
}

/* What came is of HTTP, and no answer is a 500: that would be a mistake of ours. */
static void look(const struct link *link)
{
    static const char version[] = "HTTP/1.", broken[] = "HTTP/1.1 500";
    const char *at = link->answers.data;

    if (!at)
        return;
    ALWAYS(link->answers.used >= sizeof version - 1 && memcmp(at, version, 7) == 0);
    while ((at = memmem(at, link->answers.used - (size_t)(at - link->answers.data), broken,
                        sizeof broken - 1)) != NULL) {
        ALWAYS(at > link->answers.data && at[-1] != '\n');
        at++;
    }
}

static void ask_healthy(void)
{
    static const char request[] = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                  "Connection: close\r\n\r\n";
    struct link link = {.sends = true, .answers.limit = ANSWERS_MAX};

    link.descriptor = open_link();
    send_bytes(&link, (const uint8_t *)request, sizeof request - 1);
    read_answers(&link, PATIENCE_MS);
    close_link(&link);
    ALWAYS(link.answers.data && strncmp(link.answers.data, "HTTP/1.1 200 ", 13) == 0);
    bytes_free(&link.answers);
}

FUZZ(data, size)
{
    struct link links[2] = {{-1, true, {.limit = ANSWERS_MAX}},
                            {-1, true, {.limit = ANSWERS_MAX}}};

    begin();
    for (size_t i = 0; i < COUNT(links); i++)
        links[i].descriptor = open_link();
    play(links, data, size);
    for (size_t i = 0; i < COUNT(links); i++)
        if (links[i].descriptor >= 0)
            shutdown(links[i].descriptor, SHUT_WR);
    for (size_t i = 0; i < COUNT(links); i++) {
        read_answers(&links[i], QUIET_MS);
        close_link(&links[i]);
        look(&links[i]);
        bytes_free(&links[i].answers);
    }
    if (server.inputs % HEALTHY_EVERY == 0)
        ask_healthy();
}
