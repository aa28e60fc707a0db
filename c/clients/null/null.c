/* No client at all: its commands do nothing. A trial of it shows what the loops themselves cost every client. */
#include "respmark.h"

const char *const library_name = "null";
const char *const library_version = "0";

static char connection;

static bool done(FILE *shown)
{
    if (shown)
        fputs("null", shown);
    return true;
}

void *library_connect(const struct server *server, struct failure *failure)
{
    (void)server, (void)failure;
    return &connection;
}

bool library_call(void *opaque, const struct command *command, FILE *shown, struct failure *failure)
{
    (void)opaque, (void)command, (void)failure;
    return done(shown);
}

bool library_append(void *opaque, const struct command *command, struct failure *failure)
{
    (void)opaque, (void)command, (void)failure;
    return true;
}

bool library_reply(void *opaque, FILE *shown, bool spread, struct failure *failure)
{
    (void)opaque, (void)spread, (void)failure;
    return done(shown);
}

void library_close(void *opaque)
{
    (void)opaque;
}
