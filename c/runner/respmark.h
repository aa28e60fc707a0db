/* What the core and an adapter know of each other. The core knows no library. */
#ifndef RESPMARK_H
#define RESPMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct server {
    const char *host, *unix_socket, *username, *password; /* NULL: none */
    int port, database;
};

/* A command, as a library takes it. */
struct command {
    int words;
    const char **word;
    size_t *size;
};

/* Why something failed: the library's class of it, and its own words. */
struct failure {
    const char *class;
    char text[500];
};

/* An adapter. Those that return bool return false where the failure says why. */
extern const char *const library_name, *const library_version;

/* Connects; NULL: the failure says why. */
void *library_connect(const struct server *server, struct failure *failure);
/* Sends a command and waits for its reply, which is decoded, shown as JSON unless `shown` is NULL, and released. */
bool library_call(void *connection, const struct command *command, FILE *shown, struct failure *failure);
/* Buffers a command. */
bool library_append(void *connection, const struct command *command, struct failure *failure);
/* Sends what is buffered, and reads one reply; an array's elements are shown one by one if it is `spread`. */
bool library_reply(void *connection, FILE *shown, bool spread, struct failure *failure);
void library_close(void *connection);

/* Writes bytes as the contract has them in JSON. */
void show_bytes(FILE *shown, const char *bytes, size_t size);
/* Writes text as a string of JSON. */
void show_text(FILE *shown, const char *text, size_t size);

#endif
