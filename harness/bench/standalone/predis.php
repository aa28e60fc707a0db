<?php

// Predis as its README uses it: `php predis.php AUTOLOAD HOST PORT sync|batching KEY_PREFIX`. AUTOLOAD is the file that
// Composer writes. The first line of input is the password, perhaps empty; each of the others is a turn, in seconds.

declare(strict_types=1);

const BATCH = 100;

/** Returns 1,000 groups of commands: four in five are GETs, which have no value. */
function made(string $prefix): array
{
    mt_srand(1);
    $values = [];
    for ($i = 0; $i < 500; $i++) {
        $gauss = sqrt(-2 * log(1 - mt_rand() / (mt_getrandmax() + 1))) * cos(2 * M_PI * mt_rand() / mt_getrandmax());
        $values[] = str_repeat('v', (int) min(max(1024 + 262.7 * $gauss, 4), 2048));
    }
    $groups = [];
    for ($i = 0; $i < 1_000; $i++) {
        $group = [];
        for ($j = 0; $j < BATCH; $j++) {
            $isGet = mt_rand(0, 4) > 0;
            $key = $prefix . sprintf('%07d', mt_rand(0, $isGet ? 37_499 : 29_999));
            $group[] = [$key, $isGet ? null : $values[mt_rand(0, 499)]];
        }
        $groups[] = $group;
    }
    return $groups;
}

function sync(Predis\Client $client, array $group): void
{
    foreach ($group as [$key, $value]) {
        if ($value === null) {
            $client->get($key);
        } else {
            $client->set($key, $value);
        }
    }
}

function batching(Predis\Client $client, array $group): void
{
    $pipe = $client->pipeline();
    foreach ($group as [$key, $value]) {
        if ($value === null) {
            $pipe->get($key);
        } else {
            $pipe->set($key, $value);
        }
    }
    $pipe->execute();
}

[, $autoload, $host, $port, $scenario, $prefix] = $argv;
require $autoload;
$password = trim(fgets(STDIN)) ?: null;
$client = new Predis\Client(['scheme' => 'tcp', 'host' => $host, 'port' => (int) $port, 'password' => $password]);
$client->connect();
$perform = $scenario === 'batching' ? batching(...) : sync(...);
$groups = made($prefix);
$at = 0;
echo "ready\n";
while (($line = fgets(STDIN)) !== false) {
    $operations = 0;
    $started = hrtime(true);
    $ends = $started + (float) $line * 1e9;
    while (($now = hrtime(true)) < $ends) {
        $perform($client, $groups[$at]);
        $at = ($at + 1) % count($groups);
        $operations += BATCH;
    }
    echo $operations, ' ', $now - $started, "\n";
}
