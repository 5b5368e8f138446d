/* Tested by tests/server/http/edge/connections_test.c. */
#include "server/base/client_address.h"

#include <netinet/in.h>

struct client_address client_address_of(const struct sockaddr *address)
{
    struct client_address client = {{0}};

    if (address && address->sa_family == AF_INET6) {
        struct sockaddr_in6 six;

        memcpy(&six, address, sizeof six);
        memcpy(client.bytes, &six.sin6_addr, sizeof client.bytes);
    } else if (address && address->sa_family == AF_INET) {
        struct sockaddr_in four;

        memcpy(&four, address, sizeof four);
        client.bytes[10] = client.bytes[11] = 0xff;
        memcpy(client.bytes + 12, &four.sin_addr, sizeof four.sin_addr);
    }
    return client;
}
