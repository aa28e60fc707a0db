<?php

declare(strict_types=1);

namespace Respmark\Tests;

use PHPUnit\Framework\TestCase;

/**
 * Trials through the program, with a client that does nothing.
 */
final class RunnerTest extends TestCase
{
    public function testAnAdapterMayHaveBurstsAndACache(): void
    {
        $work = '{"work": {"first": [0], "lead_in_ns": 0, "ns": 1, "keep": true}}';
        $burst = ['scenario' => 'pipelining', 'shape' => ['depth' => 3, 'window' => 'burst']];
        $cached = ['scenario' => 'caching', 'shape' => ['cache_entries' => 10]];
        $sliding = ['scenario' => 'pipelining', 'shape' => ['depth' => 3, 'window' => 'sliding']];
        [$answers, $code] = self::answers(
            ...[$burst, '{"connect": {}}', '{"echo": {"first": 0, "commands": 1, "bytes": 1}}', $work],
            ...[$cached, '{"connect": {}}', $work],
            ...[$sliding, '{"connect": {}}'],
        );

        self::assertSame(0, $code);
        self::assertCount(3, (array) self::part($answers, 3, 'replies'));
        self::assertSame([[1], null], [self::part($answers, 4, 'worked', 'measured'), self::part($answers, 4, 'worked', 'cache')]);
        self::assertSame(['hits' => 0, 'misses' => null, 'invalidations' => 0], self::part($answers, 7, 'worked', 'cache'));
        self::assertSame(['loaded', 'unsupported'], array_map(key(...), array_slice($answers, 8)));
    }

    public function testWhatIsUnsupportedEndsATrialAndNotTheProcess(): void
    {
        $lacking = ['scenario' => 'batching', 'shape' => ['depth' => 2, 'connections' => 2]];
        [$answers, $code] = self::answers($lacking, [], '{"connect": {}}');

        self::assertSame(0, $code);
        self::assertSame(['loaded', 'unsupported', 'loaded', 'connected'], array_map(key(...), $answers));
    }

    private static function part(mixed $answer, int|string ...$path): mixed
    {
        foreach ($path as $name) {
            self::assertIsArray($answer);
            $answer = $answer[$name];
        }

        return $answer;
    }

    /**
     * @param array<string, mixed>|string ...$orders lines for the trial before; an array is another trial, and how it differs
     *
     * @return array{list<array<string, mixed>>, int} what it answers, and its exit code
     */
    private static function answers(array|string ...$orders): array
    {
        $path = (string) tempnam(sys_get_temp_dir(), 'workload');
        $kinds = [['name' => 'GET', 'arguments' => ['key']], ['name' => 'SET', 'arguments' => ['key', 'value']]];
        $header = ['commands' => 4, 'key_bytes' => 5, 'values' => [5], 'kinds' => $kinds, 'steps' => [[0], [1, 0]]];
        file_put_contents($path, json_encode($header)."\n".pack('v*', 0, 0, 1, 0).'key:1key:2key:3key:4short');
        $trial = self::trial($path);
        $runner = proc_open(
            [PHP_BINARY, '-d', 'memory_limit=512M', __DIR__.'/../runner/respmark.php', '--packages', ''],
            [['pipe', 'r'], ['pipe', 'w'], STDERR],
            $pipes,
        );
        self::assertIsResource($runner);
        $lines = [$trial, ...array_map(static fn (array|string $order): array|string => is_array($order) ? $order + $trial : $order, $orders)];
        fwrite($pipes[0], implode('', array_map(static fn (array|string $line): string => (is_array($line) ? json_encode($line) : $line)."\n", $lines)));
        fclose($pipes[0]);
        $lines = explode("\n", trim((string) stream_get_contents($pipes[1])));
        $code = proc_close($runner);
        unlink($path);

        // @phpstan-ignore return.type (what a runner answers is an object a line)
        return [array_map(static fn (string $line): mixed => json_decode($line, true), $lines), $code];
    }

    /** @return array<string, mixed> */
    private static function trial(string $workload): array
    {
        return [
            'client' => 'null', 'adapter' => 'NullAdapter.php', 'options' => [], 'scenario' => 'sync', 'shape' => [],
            'workload' => $workload, 'samples' => 1_000_000, 'open' => false, 'server' => [],
        ];
    }
}
