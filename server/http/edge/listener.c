#include "server/http/edge/listener.h"

#include "common/cleanup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>

static socklen_t make_address(const struct config *config, struct sockaddr_storage *address)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)config->port)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6,
                               .sin6_port = htons((uint16_t)config->port)};

    if (inet_pton(AF_INET, config->listen, &four.sin_addr) == 1) {
        memcpy(address, &four, sizeof four);
        return sizeof four;
    }
    inet_pton(AF_INET6, config->listen, &six.sin6_addr); /* config_check() has validated it */
    memcpy(address, &six, sizeof six);
    return sizeof six;
}

int listener_open(const struct config *config, struct error *err)
{
    struct sockaddr_storage address = {0};
    socklen_t size = make_address(config, &address);
    AUTO(closep)
    int descriptor = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    int taken;

    /* After kill -9 the port may still be in TIME_WAIT; a second listener still fails. */
    if (descriptor >= 0)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, size) != 0 ||
        listen(descriptor, SOMAXCONN) != 0) {
        error_set(err, ERROR_INVALID, errno == EADDRNOTAVAIL ? "--listen" : "--port",
                  "cannot listen on %s port %lld: %s", config->listen, config->port,
                  strerror(errno));
        return -1;
    }
    taken = descriptor;
    descriptor = -1;
    return taken;
}

int listener_port(int descriptor)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    struct sockaddr_in6 six;
    struct sockaddr_in four;

    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0)
        return 0;
    memcpy(&four, &address, sizeof four);
    memcpy(&six, &address, sizeof six);
    return ntohs(address.ss_family == AF_INET6 ? six.sin6_port : four.sin_port);
}

void listener_hold_little(int descriptor)
{
    int bytes = 4096; /* on failure the system only buffers more */

    (void)!setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

bool listener_has_left(int descriptor, bool secure)
{
    struct pollfd watched = {.fd = descriptor, .events = POLLRDHUP};
    char byte;

    if (secure)
        return poll(&watched, 1, 0) == 1 &&
               (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
    return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}
