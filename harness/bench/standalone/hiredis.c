/* hiredis as its README uses it: `hiredis HOST PORT sync|batching KEY_PREFIX`. The first line of input is the password,
 * perhaps empty; each of the others is a turn, in seconds. */
#define _GNU_SOURCE
#include <hiredis/hiredis.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 100, GROUPS = 1000, VALUES = 500, MOST = 2048 };

struct one {
    char key[64];
    size_t key_size, value_size;
    const char *value; /* NULL: a GET */
};

static struct one groups[GROUPS][BATCH];
static redisContext *context;

/* Makes 1,000 groups of commands: four in five are GETs, which have no value. */
static void make(const char *prefix)
{
    static char value[MOST];
    static size_t sizes[VALUES];
    memset(value, 'v', sizeof value);
    srand48(1);
    for (int i = 0; i < VALUES; i++) {
        double gauss = sqrt(-2 * log(1 - drand48())) * cos(2 * 3.14159265358979 * drand48());
        sizes[i] = (size_t)fmin(fmax(1024 + 262.7 * gauss, 4), MOST);
    }
    for (int i = 0; i < GROUPS * BATCH; i++) {
        struct one *one = &groups[i / BATCH][i % BATCH];
        int is_set = lrand48() % 5 == 0;
        one->key_size = (size_t)snprintf(one->key, sizeof one->key, "%s%07ld", prefix, lrand48() % (is_set ? 30000 : 37500));
        if (is_set) {
            one->value = value;
            one->value_size = sizes[lrand48() % VALUES];
        }
    }
}

static void take(redisReply *reply)
{
    if (!reply || reply->type == REDIS_REPLY_ERROR) {
        fprintf(stderr, "%s\n", reply ? reply->str : context->errstr);
        exit(1);
    }
    freeReplyObject(reply);
}

static void sync_group(const struct one *group)
{
    for (int i = 0; i < BATCH; i++) {
        const struct one *one = &group[i];
        const char *words[] = {one->value ? "SET" : "GET", one->key, one->value};
        const size_t sizes[] = {3, one->key_size, one->value_size};
        take(redisCommandArgv(context, one->value ? 3 : 2, words, sizes));
    }
}

static void batch_group(const struct one *group)
{
    for (int i = 0; i < BATCH; i++) {
        const struct one *one = &group[i];
        const char *words[] = {one->value ? "SET" : "GET", one->key, one->value};
        const size_t sizes[] = {3, one->key_size, one->value_size};
        redisAppendCommandArgv(context, one->value ? 3 : 2, words, sizes);
    }
    for (int i = 0; i < BATCH; i++) {
        void *reply = NULL;
        redisGetReply(context, &reply);
        take(reply);
    }
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(int count, char **words)
{
    char line[256];
    if (count != 5 || !fgets(line, sizeof line, stdin))
        return 1;
    context = redisConnect(words[1], atoi(words[2]));
    if (!context || context->err) {
        fprintf(stderr, "%s\n", context ? context->errstr : "out of memory");
        return 1;
    }
    line[strcspn(line, "\n")] = 0;
    if (*line)
        take(redisCommand(context, "AUTH %s", line));
    void (*perform)(const struct one *) = strcmp(words[3], "batching") ? sync_group : batch_group;
    make(words[4]);
    take(redisCommand(context, "PING"));
    puts("ready");
    fflush(stdout);
    for (int at = 0; fgets(line, sizeof line, stdin);) {
        long operations = 0;
        int64_t started = now(), then = started, ends = started + (int64_t)(atof(line) * 1e9);
        for (; then < ends; then = now()) {
            perform(groups[at]);
            at = (at + 1) % GROUPS;
            operations += BATCH;
        }
        printf("%ld %ld\n", operations, (long)(then - started));
        fflush(stdout);
    }
    redisFree(context);
    return 0;
}
