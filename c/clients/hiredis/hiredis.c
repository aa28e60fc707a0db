/* hiredis, as its README uses it: redisCommandArgv, or redisAppendCommandArgv and redisGetReply. A context that has
 * failed cannot be used again: the next command connects anew. */
#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>

#include "respmark.h"

#define QUOTED(text) #text
#define DOTTED(major, minor, patch) QUOTED(major) "." QUOTED(minor) "." QUOTED(patch)

const char *const library_name = "hiredis";
const char *const library_version = DOTTED(HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH);

static bool failed(const redisContext *context, struct failure *failure)
{
    static const char *const classes[] = {"", "REDIS_ERR_IO", "REDIS_ERR_OTHER", "REDIS_ERR_EOF", "REDIS_ERR_PROTOCOL"};
    int class = context ? context->err : REDIS_ERR_OTHER;
    failure->class = class > 0 && class < 5 ? classes[class] : "REDIS_ERR_OTHER";
    snprintf(failure->text, sizeof failure->text, "%s", context ? context->errstr : "out of memory");
    return false;
}

static void show(FILE *shown, const redisReply *reply, bool spread)
{
    switch (reply->type) {
    case REDIS_REPLY_INTEGER:
        fprintf(shown, "%lld", reply->integer);
        break;
    case REDIS_REPLY_NIL:
        fputs("null", shown);
        break;
    case REDIS_REPLY_STATUS:
        show_text(shown, reply->str, reply->len);
        break;
    case REDIS_REPLY_ARRAY:
        if (!spread)
            fputc('[', shown);
        for (size_t i = 0; i < reply->elements; i++) {
            if (i)
                fputc(',', shown);
            show(shown, reply->element[i], false);
        }
        if (!spread)
            fputc(']', shown);
        break;
    default:
        show_bytes(shown, reply->str, reply->len);
    }
}

/* Shows and releases a reply. */
static bool taken(redisReply *reply, FILE *shown, bool spread, struct failure *failure)
{
    bool is_error = reply->type == REDIS_REPLY_ERROR;
    if (is_error) {
        failure->class = "REDIS_REPLY_ERROR";
        snprintf(failure->text, sizeof failure->text, "%s", reply->str);
    } else if (shown) {
        show(shown, reply, spread);
    }
    freeReplyObject(reply);
    return !is_error;
}

static bool introduced(redisContext *context, const struct server *server, struct failure *failure)
{
    const char *words[] = {"AUTH", server->username ? server->username : server->password, server->password};
    redisReply *reply;
    if (server->password) {
        reply = redisCommandArgv(context, server->username ? 3 : 2, words, NULL);
        if (!reply)
            return failed(context, failure);
        if (!taken(reply, NULL, false, failure))
            return false;
    }
    if (!server->database)
        return true;
    reply = redisCommand(context, "SELECT %d", server->database);
    return reply ? taken(reply, NULL, false, failure) : failed(context, failure);
}

struct connection {
    redisContext *context;
    struct server server;
};

static bool connect_now(struct connection *connection, struct failure *failure)
{
    const struct server *server = &connection->server;
    if (connection->context)
        redisFree(connection->context);
    connection->context = server->unix_socket ? redisConnectUnix(server->unix_socket) : redisConnect(server->host, server->port);
    if (!connection->context || connection->context->err)
        return failed(connection->context, failure);
    return introduced(connection->context, server, failure);
}

void *library_connect(const struct server *server, struct failure *failure)
{
    struct connection *connection = calloc(1, sizeof *connection);
    connection->server = *server;
    if (connect_now(connection, failure))
        return connection;
    library_close(connection);
    return NULL;
}

/* Makes sure of a connection that can be used. */
static bool ready(struct connection *connection, struct failure *failure)
{
    return (connection->context && !connection->context->err) || connect_now(connection, failure);
}

bool library_call(void *opaque, const struct command *command, FILE *shown, struct failure *failure)
{
    struct connection *connection = opaque;
    if (!ready(connection, failure))
        return false;
    redisReply *reply = redisCommandArgv(connection->context, command->words, command->word, command->size);
    return reply ? taken(reply, shown, false, failure) : failed(connection->context, failure);
}

bool library_append(void *opaque, const struct command *command, struct failure *failure)
{
    struct connection *connection = opaque;
    if (!ready(connection, failure))
        return false;
    return redisAppendCommandArgv(connection->context, command->words, command->word, command->size) == REDIS_OK ||
           failed(connection->context, failure);
}

bool library_reply(void *opaque, FILE *shown, bool spread, struct failure *failure)
{
    struct connection *connection = opaque;
    void *reply = NULL;
    if (!connection->context || redisGetReply(connection->context, &reply) != REDIS_OK)
        return failed(connection->context, failure);
    return taken(reply, shown, spread, failure);
}

void library_close(void *opaque)
{
    struct connection *connection = opaque;
    if (connection->context)
        redisFree(connection->context);
    free(connection);
}
