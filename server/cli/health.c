#include "server/cli/health.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/db_lock.h"
#include "server/base/heartbeat.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

#define PATIENCE_MS 3000
#define ANSWER_MAX 65536

/* The host part of the URL. A server on all addresses is asked on loopback. */
static bool host_of(const char *listen, char *ret_host, size_t size, struct error *err)
{
    struct in6_addr six;
    struct in_addr four;

    if (inet_pton(AF_INET, listen, &four) == 1) {
        snprintf(ret_host, size, "%s", four.s_addr == htonl(INADDR_ANY) ? "127.0.0.1" : listen);
        return true;
    }
    if (inet_pton(AF_INET6, listen, &six) != 1)
        return error_set(err, ERROR_INVALID, "--listen",
                         "must be an IPv4 or IPv6 address, got '%s'", listen);
    snprintf(ret_host, size, "[%s]", IN6_IS_ADDR_UNSPECIFIED(&six) ? "::1" : listen);
    return true;
}

static bool make_request(const struct config *config, struct fetch_request *request,
                         struct error *err)
{
    const char *certificate = config->tls_certificate;
    char host[sizeof config->listen + 2];

    if (!host_of(config->listen, host, sizeof host, err))
        return false;
    if (config->port == 0)
        return error_set(err, ERROR_INVALID, "--port",
                         "must be the port that the server listens on, got 0");
    snprintf(request->url, sizeof request->url, "%s://%s:%lld/readyz",
             certificate[0] ? "https" : "http", host, config->port);
    /* Accept exactly this certificate, whatever name it has. */
    request->ca_file = certificate;
    request->any_name = certificate[0] != '\0';
    request->max_bytes = ANSWER_MAX;
    request->connect_ms = request->total_ms = PATIENCE_MS;
    request->direct = true;
    return true;
}

static enum fetch_take take_any(void *user, const char *data, size_t length, struct error *err)
{
    (void)user, (void)data, (void)length, (void)err;
    return TAKE_MORE;
}

bool health_ask(const struct config *config, fetch_fn *fetch, void *user, struct error *err)
{
    struct fetch_request request = {0};
    struct fetch_response response = {0};
    struct error why = {0};

    if (!make_request(config, &request, err))
        return false;
    if (!fetch(user, &request, take_any, NULL, &response, &why))
        return error_set(err, why.kind, NULL, "%s: %s", request.url, why.message);
    if (response.status != 200)
        return error_set(err, ERROR_UPSTREAM, NULL, "%s answers %d: %.200s", request.url,
                         response.status, response.excerpt);
    return true;
}

enum health_verdict health_of_command(const struct config *config, bool served, long long now_ns,
                                      char ret_words[HEALTH_WORDS])
{
    struct heartbeat_view view;
    struct error err = {0};

    if (!heartbeat_look(config->database, now_ns, &view, &err)) {
        snprintf(ret_words, HEALTH_WORDS,
                 "cannot tell whether a bench or a push makes progress: %.320s", err.message);
        return HEALTH_ASK_SERVER;
    }
    if (view.state == HEARTBEAT_NONE || view.state == HEARTBEAT_ELSEWHERE) {
        snprintf(ret_words, HEALTH_WORDS, "no bench and no push runs on %.200s%s",
                 config->database,
                 view.state == HEARTBEAT_ELSEWHERE
                     ? " in this container; one runs in another container or machine"
                     : "");
        return HEALTH_ASK_SERVER;
    }
    ret_words[0] = '\0';
    if (served && strcmp(view.command, "push") == 0)
        return HEALTH_ASK_SERVER;
    if (view.state == HEARTBEAT_STOPPED) {
        snprintf(
            ret_words, HEALTH_WORDS,
            "the %s (process %lld) has made no progress for %lld s, where %lld s are allowed; "
            "it was at: %s",
            view.command, view.process, view.silent_s, view.patience_s, view.doing);
        return HEALTH_ILL;
    }
    snprintf(ret_words, HEALTH_WORDS, "%s: %s; last progress %lld s ago", view.command,
             view.doing, view.silent_s);
    return HEALTH_WELL;
}

int health_command(const struct config *config)
{
    struct error err = {0};
    struct fetcher *fetcher;
    char words[HEALTH_WORDS];
    bool ready;

    switch (
        health_of_command(config, db_is_locked(config->database), clock_monotonic_ns(), words)) {
    case HEALTH_WELL:
        puts(words);
        return 0;
    case HEALTH_ILL:
        error_set(&err, ERROR_UPSTREAM, NULL, "%s", words);
        return command_failed(&err);
    default:
        break;
    }
    fetcher = fetcher_new(&err);
    ready = fetcher && health_ask(config, fetch_with_curl, fetcher, &err);
    fetcher_free(fetcher);
    if (ready)
        return 0;
    fprintf(stderr, "pennyworth: %s%s%s%s%s\n", err.field, err.field[0] ? " " : "", err.message,
            words[0] ? "; " : "", words);
    return 1;
}
