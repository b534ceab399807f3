// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The server of `surefoot view`, on 127.0.0.1 alone. A page of another site that reaches it by a name of its own (DNS
// rebinding) is refused by the Host header, other users and pages by the token, everything that is not listed by the
// list.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "view.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

struct view_server
{
    const view_files* files;
    struct MHD_Daemon* daemon;
    int port;
    char token[VIEW_TOKEN_SIZE];
    sigset_t ends;   // what asks for the end
    sigset_t before; // signals that were held before
};

static bool make_token(char* token)
{
    unsigned char bytes[(VIEW_TOKEN_SIZE - 1) / 2];
    FILE* source = fopen("/dev/urandom", "rb");
    // Unbuffered: no more is taken than is used.
    if (source != NULL) setvbuf(source, NULL, _IONBF, 0);
    const bool good = source != NULL && fread(bytes, 1, sizeof bytes, source) == sizeof bytes;
    if (source != NULL) fclose(source);
    for (size_t i = 0; good && i < sizeof bytes; ++i)
        snprintf(token + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    return good;
}

// As long for each wrong token.
static bool begins_with_token(const view_server* server, const char* url)
{
    const size_t length = VIEW_TOKEN_SIZE - 1;
    if (strlen(url) < length + 2 || url[0] != '/' || url[length + 1] != '/') return false;
    unsigned different = 0;
    for (size_t i = 0; i < length; ++i)
        different |= (unsigned)((unsigned char)url[i + 1] ^ (unsigned char)server->token[i]);
    return different == 0;
}

static bool is_own_host(const view_server* server, const char* host)
{
    char own[2][32];
    snprintf(own[0], sizeof own[0], "127.0.0.1:%d", server->port);
    snprintf(own[1], sizeof own[1], "localhost:%d", server->port);
    return host != NULL && (strcmp(host, own[0]) == 0 || strcmp(host, own[1]) == 0);
}

static enum MHD_Result give(struct MHD_Connection* connection, unsigned status, struct MHD_Response* response,
                            const char* type)
{
    // The page loads and sends nothing elsewhere, and nobody else's page may hold it or what it shows.
    static const struct
    {
        const char* name;
        const char* value;
    } heads[] = {{"Content-Security-Policy",
                  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
                  "img-src 'self' blob: data:; connect-src 'self' blob: data:; worker-src 'self' blob:; "
                  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
                 {"Cross-Origin-Resource-Policy", "same-origin"},
                 {"Referrer-Policy", "no-referrer"},
                 {"X-Content-Type-Options", "nosniff"},
                 {"Cache-Control", "no-store"}};
    if (response == NULL) return MHD_NO;
    enum MHD_Result done = MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; done == MHD_YES && i < sizeof heads / sizeof heads[0]; ++i)
        done = MHD_add_response_header(response, heads[i].name, heads[i].value);
    if (done == MHD_YES && status == MHD_HTTP_METHOD_NOT_ALLOWED)
        done = MHD_add_response_header(response, "Allow", "GET, HEAD");
    if (done == MHD_YES) done = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return done;
}

static enum MHD_Result refuse(struct MHD_Connection* connection, unsigned status, const char* why)
{
    // It is not written to: the flag says so.
    struct MHD_Response* response =
        MHD_create_response_from_buffer(strlen(why), (void*)(uintptr_t)why, MHD_RESPMEM_PERSISTENT);
    return give(connection, status, response, "text/plain; charset=utf-8");
}

static enum MHD_Result give_file(struct MHD_Connection* connection, const view_file* file)
{
    struct stat status;
    // Not to wait for whoever put a pipe in the file's place.
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    {
        if (fd >= 0) close(fd);
        return refuse(connection, MHD_HTTP_NOT_FOUND, "The file is no longer there, or cannot be read.\n");
    }
    struct MHD_Response* response = MHD_create_response_from_fd64((uint64_t)status.st_size, fd);
    if (response == NULL) close(fd);
    return give(connection, MHD_HTTP_OK, response, view_content_type(file->address));
}

static enum MHD_Result answer(void* context, struct MHD_Connection* connection, const char* url, const char* method,
                              const char* version, const char* upload, size_t* upload_size, void** state)
{
    (void)version;
    (void)upload;
    (void)upload_size;
    (void)state;
    const view_server* server = context;
    if (!is_own_host(server, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "Not under this name: open the address that was printed.\n");
    if (!begins_with_token(server, url))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "Not without the token: open the address that was printed.\n");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Files are read only.\n");
    const char* address = url + VIEW_TOKEN_SIZE + 1;
    const view_file* file = view_find(server->files, address[0] != '\0' ? address : "index.html");
    if (file == NULL) return refuse(connection, MHD_HTTP_NOT_FOUND, "Not one of the files that were named.\n");
    return give_file(connection, file);
}

// Signals that ask for the end wait for view_serve, in every thread.
static void hold_ends(view_server* server)
{
    sigemptyset(&server->ends);
    sigaddset(&server->ends, SIGINT);
    sigaddset(&server->ends, SIGTERM);
    sigaddset(&server->ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &server->ends, &server->before);
    // A browser that goes away while it is given a file.
    signal(SIGPIPE, SIG_IGN);
}

int view_start(const view_files* files, int port, view_server** out)
{
    view_server* server = calloc(1, sizeof *server);
    if (server == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    server->files = files;
    if (!make_token(server->token))
    {
        free(server);
        return cli_fail(EXIT_READ, "view: no random numbers for the address: cannot read /dev/urandom");
    }
    hold_ends(server);
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    errno = 0;
    server->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, (uint16_t)port, NULL, NULL,
                                      answer, server, MHD_OPTION_SOCK_ADDR, (struct sockaddr*)&place,
                                      MHD_OPTION_CONNECTION_LIMIT, 64U, MHD_OPTION_CONNECTION_TIMEOUT, 30U,
                                      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_END);
    const int reason = errno;
    const union MHD_DaemonInfo* bound =
        server->daemon != NULL ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (bound == NULL)
    {
        view_stop(server);
        return cli_fail(EXIT_WRITE, "view: cannot listen on 127.0.0.1, port %d: %s; give another with --port, or none",
                        port, reason != 0 ? strerror(reason) : "the server could not be started");
    }
    server->port = bound->port;
    *out = server;
    return EXIT_DONE;
}

int view_port(const view_server* server)
{
    return server->port;
}

const char* view_token(const view_server* server)
{
    return server->token;
}

void view_serve(view_server* server)
{
    int which;
    while (sigwait(&server->ends, &which) != 0)
        continue;
    view_stop(server);
}

void view_stop(view_server* server)
{
    if (server->daemon != NULL) MHD_stop_daemon(server->daemon);
    sigprocmask(SIG_SETMASK, &server->before, NULL);
    free(server);
}

// ---- the browser ----

static bool on_path(const char* program)
{
    const char* path = getenv("PATH");
    while (path != NULL && *path != '\0')
    {
        const size_t length = strcspn(path, ":");
        char full[4096];
        const int size = snprintf(full, sizeof full, "%.*s/%s", (int)length, path, program);
        if (length > 0 && size > 0 && (size_t)size < sizeof full && access(full, X_OK) == 0) return true;
        path += length + (path[length] == ':');
    }
    return false;
}

bool view_open_browser(const char* address)
{
#ifdef __APPLE__
    static char program[] = "open";
    const bool screen = true;
#else
    static char program[] = "xdg-open";
    const bool screen = getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL;
#endif
    if (!screen || !on_path(program)) return false;
    char* text = strdup(address);
    char* arguments[] = {program, text, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    pid_t child;
    bool started = text != NULL && posix_spawn_file_actions_init(&files) == 0;
    if (started)
    {
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
        // A group of its own, so that Ctrl-C here does not end the browser.
        posix_spawnattr_init(&how);
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigmask(&how, &none);
        posix_spawnattr_setsigdefault(&how, &usual);
        started = posix_spawnp(&child, program, &files, &how, arguments, environ) == 0;
        posix_spawnattr_destroy(&how);
        posix_spawn_file_actions_destroy(&files);
    }
    free(text);
    return started;
}
