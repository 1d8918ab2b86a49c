/* Connecting blocks: it happens once for each connection, before anything is measured. */
#include "endpoint.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/slice.h"

static void copy_text(struct slice text, char *ret_text)
{
    memcpy(ret_text, text.p, text.n);
    ret_text[text.n] = '\0';
}

/* The colon before the port; NULL where there is none. Colons within brackets are the address's. */
static const char *port_colon(const char *authority)
{
    const char *bracket = strrchr(authority, ']');

    return strchr(bracket == NULL ? authority : bracket, ':');
}

static enum status parse_authority(const char *authority, struct endpoint *ret_endpoint)
{
    const char *colon = port_colon(authority);
    struct slice host = slice_cstr(authority), port = SLICE_LIT("80");
    int64_t number;

    if (colon != NULL) {
        host.n = (size_t)(colon - authority);
        port = slice_cstr(colon + 1);
    }
    if (host.n == 0 || port.n >= sizeof(ret_endpoint->port) || parse_int(port, &number) != ST_OK ||
        number < 1 || number > UINT16_MAX)
        return ST_INVALID;
    if (host.p[0] == '[' && host.p[host.n - 1] == ']')
        host = slice_of(host.p + 1, host.n - 2);
    copy_text(host, ret_endpoint->host);
    copy_text(port, ret_endpoint->port);
    return ST_OK;
}

enum status endpoint_parse(const char *url, struct endpoint *ret_endpoint)
{
    static const char scheme[] = "http://";
    struct endpoint endpoint;
    struct slice authority;

    if (strncmp(url, scheme, sizeof(scheme) - 1) != 0)
        return ST_INVALID;
    authority = slice_cstr(url + sizeof(scheme) - 1);
    if (authority.n > 0 && authority.p[authority.n - 1] == '/')
        authority.n--;
    if (authority.n >= ENDPOINT_TEXT_SIZE_MAX || memchr(authority.p, '/', authority.n) != NULL)
        return ST_INVALID;
    copy_text(authority, endpoint.authority);
    TRY(parse_authority(endpoint.authority, &endpoint));
    *ret_endpoint = endpoint;
    return ST_OK;
}

/* -1 if that address does not answer. */
static int connect_to(const struct addrinfo *address)
{
    const int on = 1;
    int s = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol);

    if (s < 0)
        return -1;
    if (connect(s, address->ai_addr, address->ai_addrlen) == 0 &&
        setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0 &&
        fcntl(s, F_SETFL, O_NONBLOCK) == 0)
        return s;
    (void)close(s);
    return -1;
}

enum status endpoint_connect(const struct endpoint *endpoint, int *ret_socket)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses;
    int s = -1;

    if (getaddrinfo(endpoint->host, endpoint->port, &hints, &addresses) != 0)
        return ST_IO;
    for (const struct addrinfo *address = addresses; address != NULL && s < 0;
         address = address->ai_next)
        s = connect_to(address);
    freeaddrinfo(addresses);
    if (s < 0)
        return ST_IO;
    *ret_socket = s;
    return ST_OK;
}
