<?php

declare(strict_types=1);

use Predis\Client;

/*
 * A bare loop with predis, to judge the runner by: what a user would write by hand, and no more.
 *
 * Performs `sync` or `batching` with the GETs and SETs of a workload file, and shares nothing with the runner but that
 * file. Prints `ready` when connected and warm, then answers each line `SECONDS FIRST_COMMAND` with
 * `OPERATIONS ELAPSED_NS CPU_NS`: whole units from that command on. Ends when its input ends.
 */

const WARM_UP_NS = 200_000_000;

/** @return never */
function fail(string $sentence): void
{
    fwrite(STDERR, "{$sentence}\n");

    exit(1);
}

/** Keys and values of all commands (a GET has no value); the first `more` are repeated, so no batch wraps around. */
function readCommands(string $path, int $more): array
{
    $file = file_get_contents($path);
    $header = json_decode(substr($file, 16, unpack('V', $file, 12)[1]), true);
    $count = $header['commands'];
    $modulus = 2 ** $header['value_modulus_bits'];
    $keys = $values = $distinct = [];
    for ($i = 0; $i < $count; ++$i) {
        $name = $header['mix'][ord($file[$header['kinds']['offset'] + $i])]['name'];
        $key = unpack('V', $file, $header['keys']['offset'] + 4 * $i)[1];
        $keys[] = $header['key_prefix'].str_pad((string) $key, $header['key_digits'], '0', STR_PAD_LEFT);
        if ('SET' === $name) {
            $size = unpack('V', $file, $header['sizes']['offset'] + 4 * $i)[1];
            $start = $key * $header['value_multiplier'] % $modulus;
            $values[] = $distinct[$size][$start] ??= substr($file, $header['block']['offset'] + $start, $size);
        } elseif ('GET' === $name) {
            $values[] = null;
        } else {
            fail("the bare loop knows GET and SET, not {$name}: use a workload of these");
        }
    }
    for ($i = 0; $i < $more; ++$i) {
        $keys[] = $keys[$i];
        $values[] = $values[$i];
    }

    return [$keys, $values, $count];
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

// The old version uses much that PHP 8 deprecates.
error_reporting(E_ALL & ~E_DEPRECATED);

$options = getopt('', ['packages:', 'host:', 'port:', 'workload:', 'scenario:', 'depth:']);

require $options['packages'].'/autoload.php';

if (!in_array($options['scenario'], ['sync', 'batching'], true)) {
    fail("there is no bare loop for {$options['scenario']}: use sync or batching");
}
$depth = (int) ($options['depth'] ?? 1);
[$keys, $values, $count] = readCommands($options['workload'], $depth);
$client = new Client(['host' => $options['host'], 'port' => $options['port']]);
$client->connect();
$loop = 'sync' === $options['scenario']
    ? static fn (int $first, int $until): int => sync($client, $keys, $values, $count, $first, $until)
    : static fn (int $first, int $until): int => batching($client, $keys, $values, $count, $first, $until, $depth);

$loop(0, hrtime(true) + WARM_UP_NS);
gc_collect_cycles();
echo "ready\n";
while (false !== ($line = fgets(STDIN))) {
    [$seconds, $first] = explode(' ', $line);
    $cpu = cpu();
    $begin = hrtime(true);
    $operations = $loop((int) $first % $count, $begin + (int) ($seconds * 1e9));
    $elapsed = hrtime(true) - $begin;
    echo $operations, ' ', $elapsed, ' ', cpu() - $cpu, "\n";
}
