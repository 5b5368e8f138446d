#include "server/http/edge/ambient.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NAME_SIZE 256 /* of a host, with the NUL */

/* The name of "NAME:PORT" or "[ADDRESS]:PORT"; "" if too long. */
static void read_name(const char *host, char ret_name[NAME_SIZE])
{
    bool bracketed = host[0] == '[';
    const char *begin = host + bracketed;
    size_t length = strcspn(begin, bracketed ? "]" : ":");

    snprintf(ret_name, NAME_SIZE, "%.*s", length < NAME_SIZE ? (int)length : 0, begin);
}

static bool is_address(const char *name)
{
    unsigned char address[16];

    return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

static bool is_localhost(const char *name)
{
    static const char local[] = "localhost";
    size_t length = strlen(name), most = sizeof local - 1;

    return length >= most && strcasecmp(name + length - most, local) == 0 &&
           (length == most || name[length - most - 1] == '.');
}

static bool is_listed(const char *name, const char *names)
{
    size_t wanted = strlen(name);

    while (*names) {
        size_t length = strcspn(names, ";");

        if (length == wanted && strncasecmp(names, name, length) == 0)
            return true;
        names += length + (names[length] == ';');
    }
    return false;
}

/* Addresses and localhost cannot be rebound. */
static bool is_own(const char *host, const char *names)
{
    char name[NAME_SIZE];

    read_name(host, name);
    return is_address(name) || is_localhost(name) || (name[0] && is_listed(name, names));
}

/* Whether "SCHEME://HOST:PORT" names the host that the request is for. */
static bool is_same_site(const char *origin, const char *host)
{
    const char *behind = strstr(origin, "://");

    return behind && host && strcasecmp(behind + 3, host) == 0;
}

bool ambient_check(const struct ambient_request *request, const char *names, struct error *err)
{
    const char *site = request->fetch_site;

    if (request->host && !is_own(request->host, names))
        return error_set(
            err, ERROR_INVALID, "Host",
            "'%.100s' is not a name of this server: without tokens it answers to its "
            "addresses, to localhost, and to the names of --host",
            request->host);
    if (!request->changes)
        return true;
    if (request->origin && !is_same_site(request->origin, request->host))
        return error_set(err, ERROR_INVALID, "Origin",
                         "a page of '%.100s' may not do this without a token", request->origin);
    if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return error_set(err, ERROR_INVALID, "Sec-Fetch-Site",
                         "a page of another site may not do this without a token");
    return true;
}
