<?php
// A program that uses a server in one way: `load.php PORT WAY NAME`; phpredis.
[, $port, $way, $name] = $argv;
const SCRIPT = 'local sum = 0 for i = 1, 1000000 do sum = sum + i end return sum';

function connect(): Redis
{
    global $port, $name;
    $redis = new Redis();
    $redis->connect('127.0.0.1', (int) $port);
    $redis->client('SETNAME', $name);
    return $redis;
}

$kept = [];
$helper = $way === 'worker' ? connect() : null;
$ways = [
    'churn' => [20, function () { $one = connect(); $one->get('key:1'); $one->close(); }],
    'loop' => [0, fn($redis, $n) => $redis->set('new:' . $n % 1000, 'value')],
    'keys' => [20, fn($redis) => $redis->keys('*')],
    'whole-set' => [50, fn($redis) => $redis->sMembers('members')],
    'script' => [50, fn($redis) => $redis->eval(SCRIPT)],
    'set-expire' => [4, function ($redis, $n) { $redis->set('new:' . $n % 1000, 'value'); $redis->expire('new:' . $n % 1000, 60); }],
    'poll' => [5, fn($redis) => $redis->lPop('nothing')],
    'wrong-type' => [10, fn($redis) => $redis->lPush('text', 'value')],
    'large-values' => [100, fn($redis) => $redis->get('large')],
    'leak' => [200, function () { global $kept; $kept[] = connect(); }],
    'requests' => [10, function ($redis, $n) {
        $redis->get('key:' . $n % 1000);
        if ($n % 3 === 0) { $redis->set('new:' . $n % 1000, 'value', ['ex' => 600]); }
        $redis->hGet('hash', 'field');
    }],
    'batch' => [20, function ($redis, $n) {
        $pipe = $redis->pipeline();
        for ($place = 0; $place < 50; $place++) { $pipe->get('key:' . ($n + $place) % 1000); }
        $pipe->exec();
    }],
    'set-ex' => [4, fn($redis, $n) => $redis->set('new:' . $n % 1000, 'value', ['ex' => 600])],
    // One process: it pushes what it then waits for.
    'worker' => [20, function ($redis) use ($helper) { $helper->rPush('queue', 'job'); $redis->blPop('queue', 2); }],
];
[$pause, $work] = $ways[$way];
$redis = connect();
for ($n = 0; ; $n++) {
    $work($redis, $n);
    if ($n === 0) { echo 'begun', PHP_EOL; }
    if ($pause > 0) { usleep($pause * 1000); }
}
