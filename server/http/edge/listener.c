#include "server/http/edge/listener.h"

#include "common/cleanup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>

#define HELD_MAX                                                                                 \
    (128 * 1024) /* bytes of an answer in the kernel; it takes twice as much memory */

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
    const unsigned patience_ms = (unsigned)config->send_seconds * 1000;
    const int on = 1;
    int taken;

    /* After kill -9 the port may still be in TIME_WAIT; a second listener still fails. */
    if (descriptor >= 0)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (descriptor >= 0) /* each connection inherits it */
        setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience_ms, sizeof patience_ms);
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

void listener_hold_enough(int descriptor)
{
    int bytes = HELD_MAX;

    (void)!setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

bool listener_has_left(int descriptor)
{
    struct pollfd watched = {.fd = descriptor, .events = POLLRDHUP};

    return poll(&watched, 1, 0) == 1 && (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void listener_tell_end(int descriptor)
{
    shutdown(descriptor, SHUT_RD);
}

void listener_cut(int descriptor)
{
    const struct linger at_once = {.l_onoff = 1};
    int unsent = 0;

    /* What a client has not taken must not stay in the kernel. */
    if (ioctl(descriptor, SIOCOUTQ, &unsent) == 0 && unsent > 0)
        (void)!setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    shutdown(descriptor, SHUT_RDWR);
}

void listener_finish(int descriptor)
{
    shutdown(descriptor, SHUT_RDWR);
}

long long listener_taken(int descriptor)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;

    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return 0;
    return (long long)info.tcpi_bytes_acked;
}
