<?php

declare(strict_types=1);

use Predis\Client;

/*
 * The bare loops that the runner is judged by: what a user would write by hand with predis, and no more.
 *
 * Reads the trial that the runner reads (one line on standard input), performs `sync` or `batching` with the GETs and
 * SETs of the workload file, and shares nothing with the runner but that file. No latency is recorded. Prints
 * {"event":"ready"} when warm, waits for a line, measures, and prints {"operations": n, "elapsed_ns": n, "cpu_ns": n}.
 */

/** @return never */
function fail(string $sentence): void
{
    fwrite(STDERR, "{$sentence}\n");

    exit(1);
}

/** Keys and values of all commands (a GET has no value), and the first `more` of them again, so that no batch wraps around. */
function readCommands(string $path, int $more): array
{
    $file = file_get_contents($path);
    $header = json_decode(substr($file, 16, unpack('V', $file, 12)[1]), true);
    $keys = $values = [];
    $modulus = 2 ** $header['value_modulus_bits'];
    for ($i = 0; $i < $header['commands']; ++$i) {
        $name = $header['mix'][ord($file[$header['kinds']['offset'] + $i])]['name'];
        if ('GET' !== $name && 'SET' !== $name) {
            fail("the bare loops know GET and SET, not {$name}: use a workload of these");
        }
        $key = unpack('V', $file, $header['keys']['offset'] + 4 * $i)[1];
        $size = unpack('V', $file, $header['sizes']['offset'] + 4 * $i)[1];
        $start = $header['block']['offset'] + $key * $header['value_multiplier'] % $modulus;
        $keys[] = $header['key_prefix'].str_pad((string) $key, $header['key_digits'], '0', STR_PAD_LEFT);
        $values[] = 'SET' === $name ? substr($file, $start, $size) : null;
    }
    for ($i = 0; $i < $more; ++$i) {
        $keys[] = $keys[$i % $header['commands']];
        $values[] = $values[$i % $header['commands']];
    }

    return [$keys, $values, $header['commands']];
}

function connect(array $trial): Client
{
    $target = $trial['target'];
    $options = $trial['client']['options'] ?? [];
    $client = new Client(array_filter([
        'scheme' => isset($target['unix_socket']) ? 'unix' : 'tcp',
        'path' => $target['unix_socket'] ?? null,
        'host' => $target['host'] ?? null,
        'port' => $target['port'] ?? null,
        'username' => $target['username'] ?? null,
        'password' => $target['password'] ?? null,
        'database' => $target['database'] ?? null,
        'persistent' => 'on' === ($options['persistent'] ?? 'off'),
        'protocol' => 3 === ($options['protocol'] ?? 2) ? 3 : null,
    ]));
    $client->connect();

    return $client;
}

function sync(Client $client, array $keys, array $values, int $count, int $at, int $until): int
{
    $operations = 0;
    do {
        $value = $values[$at];
        if (null === $value) {
            $client->get($keys[$at]);
        } else {
            $client->set($keys[$at], $value);
        }
        $at = ($at + 1) % $count;
        ++$operations;
    } while (hrtime(true) < $until);

    return $operations;
}

function batching(Client $client, array $keys, array $values, int $count, int $at, int $until, int $depth): int
{
    $operations = 0;
    do {
        $pipeline = $client->pipeline();
        for ($i = $at, $end = $at + $depth; $i < $end; ++$i) {
            $value = $values[$i];
            if (null === $value) {
                $pipeline->get($keys[$i]);
            } else {
                $pipeline->set($keys[$i], $value);
            }
        }
        $pipeline->execute();
        $at = ($at + $depth) % $count;
        $operations += $depth;
    } while (hrtime(true) < $until);

    return $operations;
}

function cpu(): int
{
    $usage = getrusage();

    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000_000
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1_000;
}

// The old version is full of what PHP 8 calls deprecated.
error_reporting(E_ALL & ~E_DEPRECATED);

require $argv[2].'/autoload.php';

$trial = json_decode(fgets(STDIN), true);
if (!in_array($trial['scenario'], ['sync', 'batching'], true)) {
    fail("there is no bare loop for {$trial['scenario']}: use sync or batching");
}
if ('php' !== ($trial['client']['options']['driver'] ?? 'php')) {
    fail('the bare loop has no driver but predis itself');
}
if (isset($trial['target']['tls'])) {
    fail('the bare loop does not speak TLS');
}
if ('on' === ($trial['client']['options']['jit'] ?? 'off')) {
    fail('the bare loop is compiled before it knows the trial: it has no JIT');
}
$depth = $trial['shape']['depth'] ?? 1;
[$keys, $values, $count] = readCommands($trial['workload']['path'], $depth);
$first = intdiv(($trial['workload']['part'] ?? 0) * $count, $trial['workload']['parts'] ?? 1);
$client = connect($trial);
$loop = 'sync' === $trial['scenario']
    ? static fn (int $until): int => sync($client, $keys, $values, $count, $first, $until)
    : static fn (int $until): int => batching($client, $keys, $values, $count, $first, $until, $depth);

$loop(hrtime(true) + (int) ($trial['warmup_s'] * 1e9));
echo '{"event":"ready"}', "\n";
fgets(STDIN);
$cpu = cpu();
$begin = hrtime(true);
$operations = $loop($begin + (int) ($trial['measure_s'] * 1e9));
$elapsed = hrtime(true) - $begin;
echo json_encode(['operations' => $operations, 'elapsed_ns' => $elapsed, 'cpu_ns' => cpu() - $cpu]), "\n";
