/* A runner in C, as harness/contract.md says, with one walker and one connection: the floor that a language's clients
 * are held against. Reads JSON lines with cJSON, prints JSON lines. */
#define _GNU_SOURCE
#include <cjson/cJSON.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "respmark.h"

#define MOST_ERROR_CLASSES 8

enum { LEAST_SAMPLES = 1 << 10 };
enum scenario { SYNC, BATCHING, TRANSACTION, NEW_CONNECTION };

/* The command of a step without its keys. */
struct step {
    int words;
    const char **word; /* NULL: a key */
    size_t *size;
    int keys;
};

static struct {
    size_t commands, key_bytes, distinct; /* how many steps there are */
    const uint16_t *numbers; /* of each command's step */
    uint32_t *first_key;
    const char *keys;
    struct step *steps;
    char *content;
    struct command command; /* the one that is sent: words are filled in */
} workload;

static struct {
    enum scenario scenario;
    size_t depth, position;
    struct server server;
    void *connection;
    double *samples;
    size_t room, kept, dropped;
    size_t *counts, slices;
    struct {
        const char *class;
        long count;
    } errors[MOST_ERROR_CLASSES];
    char first_error[500];
} trial;

static cJSON *trial_line;

static void end(const char *class, const char *text)
{
    fprintf(stderr, "%s: %s\n", class, text);
    exit(1);
}

static void *checked(void *memory)
{
    if (!memory)
        end("malloc", "out of memory");
    return memory;
}

/* --- JSON ------------------------------------------------------------------------------------------------------- */

void show_text(FILE *shown, const char *text, size_t size)
{
    fputc('"', shown);
    for (size_t i = 0; i < size; i++) {
        unsigned char one = (unsigned char)text[i];
        if (one < 0x20 || one == '"' || one == '\\' || one >= 0x7f)
            fprintf(shown, "\\u%04x", one);
        else
            fputc(one, shown);
    }
    fputc('"', shown);
}

static void show_base64(FILE *shown, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[three >> 18], shown);
        fputc(digits[three >> 12 & 63], shown);
        fputc(left > 1 ? digits[three >> 6 & 63] : '=', shown);
        fputc(left > 2 ? digits[three & 63] : '=', shown);
    }
}

void show_bytes(FILE *shown, const char *bytes, size_t size)
{
    fputs("{\"bytes\":\"", shown);
    show_base64(shown, (const unsigned char *)bytes, size);
    fputs("\"}", shown);
}

static double number(const cJSON *object, const char *name, double otherwise)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(found) ? found->valuedouble : otherwise;
}

static const char *text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* --- the workload ----------------------------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        end(path, strerror(errno));
    long size = ftell(file);
    char *content = checked(malloc((size_t)size + 1));
    rewind(file);
    if (fread(content, 1, (size_t)size, file) != (size_t)size)
        end(path, "cannot be read");
    content[size] = 0;
    fclose(file);
    return content;
}

static void fill_word(struct step *step, const char *word, size_t size)
{
    step->keys += word == NULL;
    step->word[step->words] = word;
    step->size[step->words++] = size;
}

/* How many keys a command of a step has. */
static size_t keys_of(const cJSON *kinds, const cJSON *numbers)
{
    const cJSON *kind = cJSON_GetArrayItem(kinds, numbers->child->valueint), *argument;
    size_t keys = 0;
    cJSON_ArrayForEach(argument, cJSON_GetObjectItemCaseSensitive(kind, "arguments"))
    {
        keys += cJSON_IsString(argument) && !strcmp(argument->valuestring, "key");
    }
    return keys;
}

/* `numbers` names the step's kind, then each of its values. */
static struct step bind(const cJSON *kinds, const cJSON *numbers, const char *const *values, const size_t *sizes)
{
    const cJSON *place = numbers->child, *kind = cJSON_GetArrayItem(kinds, place->valueint), *argument;
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(kind, "arguments");
    size_t words = (size_t)cJSON_GetArraySize(arguments) + 1;
    struct step step = {0, checked(calloc(words, sizeof *step.word)), checked(calloc(words, sizeof *step.size)), 0};
    const char *name = text(kind, "name");
    fill_word(&step, checked(strdup(name)), strlen(name));
    cJSON_ArrayForEach(argument, arguments)
    {
        if (cJSON_IsString(argument) && !strcmp(argument->valuestring, "key")) {
            fill_word(&step, NULL, workload.key_bytes);
        } else if (cJSON_IsString(argument)) {
            place = place->next;
            fill_word(&step, values[place->valueint], sizes[place->valueint]);
        } else {
            const cJSON *literal = cJSON_GetObjectItemCaseSensitive(argument, "literal");
            char *word = cJSON_IsString(literal) ? strdup(literal->valuestring) : cJSON_PrintUnformatted(literal);
            fill_word(&step, checked(word), strlen(word));
        }
    }
    return step;
}

static void read_workload(const char *path)
{
    char *content = workload.content = read_file(path), *columns = strchr(content, '\n') + 1;
    cJSON *header = cJSON_ParseWithLength(content, (size_t)(columns - content));
    const cJSON *sizes = cJSON_GetObjectItemCaseSensitive(header, "values"), *one;
    const cJSON *kinds = cJSON_GetObjectItemCaseSensitive(header, "kinds");
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(header, "steps");
    size_t commands = workload.commands = (size_t)number(header, "commands", 0), keys = 0, most = 1;
    workload.key_bytes = (size_t)number(header, "key_bytes", 0);
    workload.numbers = checked(malloc(commands * sizeof *workload.numbers)); /* the columns may not be aligned */
    memcpy((void *)(uintptr_t)workload.numbers, columns, commands * sizeof *workload.numbers);
    workload.keys = columns + commands * sizeof *workload.numbers;

    size_t place = 0;
    workload.distinct = (size_t)cJSON_GetArraySize(steps);
    workload.steps = checked(calloc(workload.distinct, sizeof *workload.steps));
    size_t values = (size_t)cJSON_GetArraySize(sizes);
    const char **value = checked(calloc(values + 1, sizeof *value));
    size_t *size = checked(calloc(values + 1, sizeof *size));
    cJSON_ArrayForEach(one, steps)
    {
        workload.steps[place++].keys = (int)keys_of(kinds, one);
    }
    workload.first_key = checked(calloc(commands, sizeof *workload.first_key));
    for (size_t i = 0; i < commands; i++) {
        workload.first_key[i] = (uint32_t)keys;
        keys += (size_t)workload.steps[workload.numbers[i]].keys;
    }
    const char *next = workload.keys + keys * workload.key_bytes;
    place = 0;
    cJSON_ArrayForEach(one, sizes)
    {
        value[place] = next;
        size[place] = (size_t)one->valueint;
        next += size[place++];
    }
    place = 0;
    cJSON_ArrayForEach(one, steps)
    {
        struct step *step = &workload.steps[place++];
        *step = bind(kinds, one, value, size);
        most = (size_t)step->words > most ? (size_t)step->words : most;
    }
    workload.command.word = checked(calloc(most, sizeof *workload.command.word));
    workload.command.size = checked(calloc(most, sizeof *workload.command.size));
    free(value);
    free(size);
    cJSON_Delete(header);
}

/* Takes the walk's next command. */
static const struct command *next_command(void)
{
    size_t index = trial.position;
    trial.position = index + 1 == workload.commands ? 0 : index + 1;
    const struct step *step = &workload.steps[workload.numbers[index]];
    const char *key = workload.keys + workload.first_key[index] * workload.key_bytes;
    struct command *command = &workload.command;
    command->words = step->words;
    for (int i = 0; i < step->words; i++) {
        command->size[i] = step->size[i];
        if (step->word[i]) {
            command->word[i] = step->word[i];
        } else {
            command->word[i] = key;
            key += workload.key_bytes;
        }
    }
    return command;
}

/* --- units ------------------------------------------------------------------------------------------------------ */

static void comma(FILE *shown, size_t place)
{
    if (shown && place)
        fputc(',', shown);
}

static bool append_word(const char *name, struct failure *failure)
{
    size_t size = strlen(name);
    return library_append(trial.connection, &(struct command){1, &name, &size}, failure);
}

/* Reads a reply, whatever became of those before; the first failure stands. */
static bool read_reply(FILE *shown, bool spread, bool worked, struct failure *failure)
{
    struct failure another;
    return library_reply(trial.connection, shown, spread, worked ? failure : &another) && worked;
}

/* Buffers `depth` commands, sends them, and reads all replies; whatever fails, none is left unread. */
static bool batch(FILE *shown, struct failure *failure)
{
    bool is_block = trial.scenario == TRANSACTION, worked = !is_block || append_word("MULTI", failure);
    for (size_t i = 0; i < trial.depth && worked; i++)
        worked = library_append(trial.connection, next_command(), failure);
    if (worked && is_block)
        worked = append_word("EXEC", failure);
    if (!worked)
        return false;
    for (size_t i = 0; i < trial.depth + (is_block ? 1 : 0); i++) {
        FILE *to = is_block ? NULL : shown;
        comma(to, i);
        worked = read_reply(to, false, worked, failure);
    }
    return is_block ? read_reply(shown, true, worked, failure) : worked;
}

static bool unit(FILE *shown, struct failure *failure)
{
    switch (trial.scenario) {
    case BATCHING:
    case TRANSACTION:
        return batch(shown, failure);
    case NEW_CONNECTION: {
        void *connection = library_connect(&trial.server, failure);
        if (!connection)
            return false;
        bool worked = library_call(connection, next_command(), shown, failure);
        library_close(connection);
        return worked;
    }
    default:
        return library_call(trial.connection, next_command(), shown, failure);
    }
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void count_failure(const struct failure *failure)
{
    for (int i = 0; i < MOST_ERROR_CLASSES; i++) {
        if (!trial.errors[i].class || !strcmp(trial.errors[i].class, failure->class)) {
            trial.errors[i].class = failure->class;
            trial.errors[i].count++;
            break;
        }
    }
    if (!*trial.first_error)
        memcpy(trial.first_error, failure->text, sizeof trial.first_error);
}

/* Performs units until the time is over; one clock reading ends a unit and starts the next. */
static size_t perform(uint64_t end_ns, bool keep)
{
    size_t units = 0;
    struct failure failure;
    uint64_t then = now(), time;
    do {
        bool worked = unit(NULL, &failure);
        time = now();
        if (!worked) {
            count_failure(&failure);
        } else {
            units++;
            if (keep && trial.kept < trial.room)
                trial.samples[trial.kept++] = (double)(time - then);
            else if (keep)
                trial.dropped++;
        }
        then = time;
    } while (time < end_ns);
    return units;
}

/* --- the lines -------------------------------------------------------------------------------------------------- */

struct moment {
    uint64_t at, user, system;
};

static uint64_t nanoseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

static struct moment moment(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (struct moment){now(), nanoseconds(used.ru_utime), nanoseconds(used.ru_stime)};
}

static void say_moment(const char *name, struct moment moment)
{
    printf("\"%s\":[%lu,%lu,%lu],", name, moment.at, moment.user, moment.system);
}

static void work(const cJSON *order)
{
    bool keep = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(order, "keep"));
    uint64_t lead_in_ns = (uint64_t)number(order, "lead_in_ns", 0), ns = (uint64_t)number(order, "ns", 0);
    memset(trial.errors, 0, sizeof trial.errors);
    *trial.first_error = 0;
    trial.position = (size_t)cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(order, "first"), 0)->valuedouble;
    size_t before = trial.kept;
    struct moment started = moment();
    size_t lead_in = lead_in_ns ? perform(started.at + lead_in_ns, false) : 0;
    struct moment measured_from = moment();
    size_t measured = perform(measured_from.at + ns, keep);
    struct moment ended = moment();
    if (keep) {
        trial.counts = checked(realloc(trial.counts, (trial.slices + 1) * sizeof *trial.counts));
        trial.counts[trial.slices++] = trial.kept - before;
    }
    fputs("{\"worked\":{", stdout);
    say_moment("started", started);
    say_moment("measured_from", measured_from);
    say_moment("ended", ended);
    printf("\"lead_in\":[%zu],\"measured\":[%zu],\"errors\":{", lead_in, measured);
    for (int i = 0; i < MOST_ERROR_CLASSES && trial.errors[i].class; i++)
        printf("%s\"%s\":%ld", i ? "," : "", trial.errors[i].class, trial.errors[i].count);
    fputs("},\"first_error\":", stdout);
    if (*trial.first_error)
        show_text(stdout, trial.first_error, strlen(trial.first_error));
    else
        fputs("null", stdout);
    fputs(",\"cache\":null}}\n", stdout);
}

static void echo(const cJSON *order)
{
    size_t per_unit = trial.scenario == BATCHING || trial.scenario == TRANSACTION ? trial.depth : 1;
    size_t commands = (size_t)number(order, "commands", 1), done = 0, bytes = (size_t)number(order, "bytes", 1), size;
    struct failure failure;
    char *replies;
    FILE *shown = checked(open_memstream(&replies, &size));
    trial.position = (size_t)number(order, "first", 0);
    do {
        comma(shown, done);
        if (!unit(shown, &failure))
            end(failure.class, failure.text);
        done += per_unit;
        fflush(shown);
    } while (done < commands && size < bytes);
    fclose(shown);
    printf("{\"replies\":[%s]}\n", replies);
    free(replies);
}

static void hand_over_samples(void)
{
    fputs("{\"samples\":{\"latencies\":\"", stdout);
    show_base64(stdout, (const unsigned char *)trial.samples, trial.kept * sizeof *trial.samples);
    fputs("\",\"counts\":[", stdout);
    for (size_t i = 0; i < trial.slices; i++)
        printf("%s%zu", i ? "," : "", trial.counts[i]);
    printf("],\"dropped\":%zu}}\n", trial.dropped);
    trial.kept = trial.dropped = trial.slices = 0;
}

static void bare(const cJSON *order)
{
    struct failure failure;
    size_t units = 0;
    struct moment started = moment();
    uint64_t end_ns = started.at + (uint64_t)number(order, "ns", 0);
    trial.position = (size_t)number(order, "first", 0);
    do {
        if (!unit(NULL, &failure))
            end(failure.class, failure.text);
        units++;
    } while (now() < end_ns);
    fputs("{\"bared\":{", stdout);
    say_moment("started", started);
    say_moment("ended", moment());
    printf("\"units\":%zu}}\n", units);
}

static void forget_workload(void)
{
    for (size_t i = 0; i < workload.distinct; i++) {
        free(workload.steps[i].word);
        free(workload.steps[i].size);
    }
    free(workload.steps);
    free(workload.first_key);
    free((void *)(uintptr_t)workload.numbers);
    free(workload.command.word);
    free(workload.command.size);
    free(workload.content);
    memset(&workload, 0, sizeof workload);
}

static void end_trial(void)
{
    forget_workload();
    if (trial.connection)
        library_close(trial.connection);
    free(trial.samples);
    free(trial.counts);
    memset(&trial, 0, sizeof trial);
    cJSON_Delete(trial_line);
    trial_line = NULL;
}

static enum scenario scenario_of(const char *name)
{
    static const char *const names[] = {"sync", "batching", "transaction", "new-connection"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, names[i]))
            return (enum scenario)i;
    return SYNC;
}

/* Prepares every command; false: it cannot be had, which has been answered. */
static bool prepare_trial(cJSON *line)
{
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(line, "shape");
    const cJSON *server = cJSON_GetObjectItemCaseSensitive(line, "server");
    end_trial();
    trial_line = line;
    if (cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(server, "tls"))) {
        puts("{\"unsupported\":\"the runner in C is built without TLS\"}");
        return false;
    }
    read_workload(text(line, "workload"));
    trial.scenario = scenario_of(text(line, "scenario"));
    trial.depth = (size_t)number(shape, "depth", 1);
    trial.server = (struct server){text(server, "host"), text(server, "unix_socket"), text(server, "username"),
                                   text(server, "password"), (int)number(server, "port", 0), (int)number(server, "database", 0)};
    trial.room = (size_t)number(line, "samples", 0);
    trial.room = trial.room < LEAST_SAMPLES ? LEAST_SAMPLES : trial.room;
    trial.samples = checked(malloc(trial.room * sizeof *trial.samples));
    for (size_t i = 0; i < trial.room; i++)
        trial.samples[i] = 1; /* no slice pays for a page fault */
    return true;
}

static void say_versions(void)
{
    printf("\"versions\":{\"%s\":\"%s\",\"gcc\":\"%s\"}", library_name, library_version, __VERSION__);
}

static void begin_trial(cJSON *line)
{
    if (!prepare_trial(line))
        return;
    fputs("{\"loaded\":{\"contract\":4,", stdout);
    say_versions();
    fputs(",\"settings\":{}}}\n", stdout);
}

/* Takes the library, which is a part of the program, to its first reply; it connects as it makes the client. */
static void cold_start(cJSON *line, uint64_t main_ns)
{
    struct failure failure;
    char *reply;
    size_t size;
    if (!prepare_trial(line))
        return;
    FILE *shown = checked(open_memstream(&reply, &size));
    uint64_t began = now();
    if (!(trial.connection = library_connect(&trial.server, &failure)))
        end(failure.class, failure.text);
    uint64_t created = now();
    if (!unit(shown, &failure))
        end(failure.class, failure.text);
    uint64_t replied = now();
    fclose(shown);
    printf("{\"started\":{\"main_ns\":%lu,\"create_ns\":%lu,\"first_ns\":%lu,\"reply\":%s,", main_ns, created - began,
           replied - created, reply);
    say_versions();
    puts("}}");
    free(reply);
}

static void connect_trial(void)
{
    struct failure failure;
    if (trial.scenario != NEW_CONNECTION && !(trial.connection = library_connect(&trial.server, &failure)))
        end(failure.class, failure.text);
    puts("{\"connected\":{}}");
}

static void answer(cJSON *line)
{
    const cJSON *order = line->child;
    if (!strcmp(order->string, "connect"))
        connect_trial();
    else if (!strcmp(order->string, "echo"))
        echo(order);
    else if (!strcmp(order->string, "work"))
        work(order);
    else if (!strcmp(order->string, "samples"))
        hand_over_samples();
    else
        bare(order);
    cJSON_Delete(line);
}

int main(int count, char **words)
{
    uint64_t main_ns = now();
    bool is_cold_start = count > 1 && !strcmp(words[1], "--cold-start");
    char *text_line = NULL;
    size_t size = 0;
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    while (getline(&text_line, &size, stdin) > 0) {
        cJSON *line = cJSON_Parse(text_line);
        if (!line)
            end("cJSON", "a line is not JSON");
        if (is_cold_start)
            cold_start(line, main_ns);
        else if (cJSON_HasObjectItem(line, "client"))
            begin_trial(line);
        else
            answer(line);
        fflush(stdout);
    }
    end_trial();
    free(text_line);
    return 0;
}
