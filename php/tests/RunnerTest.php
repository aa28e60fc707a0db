<?php

declare(strict_types=1);

namespace Respmark\Tests;

use PHPUnit\Framework\TestCase;

/**
 * One trial through the program, with a client that does nothing.
 */
final class RunnerTest extends TestCase
{
    public function testATrialFromItsFirstLineToItsEnd(): void
    {
        [$answers, $code] = self::answers(
            '{"connect": {}}',
            '{"echo": {"first": 1, "commands": 3, "bytes": 1000}}',
            '{"work": {"first": [1], "lead_in_ns": 1000, "ns": 1000000, "keep": true}}',
            '{"work": {"first": [0], "lead_in_ns": 0, "ns": 1000, "keep": false}}',
            '{"samples": {}}',
            '{"bare": {"first": 0, "ns": 1000}}',
        );
        [$loaded, $connected, $echoed, $worked, $unkept, $samples, $bared] = $answers;

        self::assertSame(0, $code);
        self::assertSame(4, self::part($loaded, 'loaded', 'contract'));
        self::assertSame(PHP_VERSION, self::part($loaded, 'loaded', 'versions', 'PHP'));
        self::assertSame(['connected' => []], $connected);
        self::assertSame(['replies' => [['bytes' => base64_encode('key:2')], true, ['bytes' => base64_encode('key:4')]]], $echoed);
        [$started, $from, $ended] = array_map(
            static fn (string $moment): int => is_int($at = self::part($worked, 'worked', $moment, 0)) ? $at : 0,
            ['started', 'measured_from', 'ended'],
        );
        self::assertTrue($started + 1_000 <= $from && $from + 1_000_000 <= $ended);
        self::assertSame([], self::part($worked, 'worked', 'errors'));
        self::assertSame([0], self::part($unkept, 'worked', 'lead_in'));
        self::assertSame(self::part($worked, 'worked', 'measured'), self::part($samples, 'samples', 'counts'));
        self::assertSame(0, self::part($samples, 'samples', 'dropped'));
        self::assertGreaterThan(0, self::part($bared, 'bared', 'units'));
    }

    public function testASliceWhoseUnitsHaveTimesAtWhichTheyAreDueLastsAsLongAsAsked(): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'arrivals');
        file_put_contents($file, pack('P*', 1_000_000, 5_000_000, 9_000_000));
        $arrivals = ['file' => $file, 'at' => $at = hrtime(true), 'lead_in' => 1, 'drain_ns' => 60_000_000_000];
        $work = ['first' => [0], 'lead_in_ns' => 2_000_000, 'ns' => 9_000_000, 'keep' => true, 'arrivals' => $arrivals];
        [$answers] = self::answers('{"connect": {}}', (string) json_encode(['work' => $work]), '{"samples": {}}');
        unlink($file);
        [, , $worked, $samples] = $answers;

        self::assertSame([[1], [2]], [self::part($worked, 'worked', 'lead_in'), self::part($worked, 'worked', 'measured')]);
        self::assertGreaterThanOrEqual($at + 11_000_000, self::part($worked, 'worked', 'ended', 0));
        self::assertSame(base64_encode(pack('e*', 5e6, 9e6)), self::part($samples, 'samples', 'due'));
    }

    public function testAnApplicationThatKeepsGoingLogsEachUnitAndThatItsClientIsClosed(): void
    {
        [$file, $log] = [(string) tempnam(sys_get_temp_dir(), 'due'), (string) tempnam(sys_get_temp_dir(), 'log')];
        file_put_contents($file, pack('P*', 0, 1_000_000));
        $order = ['first' => [1], 'due' => ['file' => $file, 'at' => $at = hrtime(true)], 'log' => $log, 'enough' => "{$log}.enough", 'until' => $at + 100_000_000_000];
        [$answers, $code] = self::answers('{"connect": {}}', (string) json_encode(['keep_going' => $order]));
        $lines = array_map(static fn (string $line): mixed => json_decode($line, true), explode("\n", trim((string) file_get_contents($log))));
        array_map(unlink(...), [$file, $log]);

        self::assertSame([['went' => []], 0], [$answers[2], $code]);
        self::assertCount(5, $lines);
        foreach ([0, 0, 1, 1] as $line => $unit) {
            self::assertSame([$unit, 0], [self::part($lines, $line, 'unit'), self::part($lines, $line, 'walker')]);
        }
        self::assertGreaterThanOrEqual($at + 1_000_000, self::part($lines, 2, 'began'));
        self::assertSame(['bytes' => base64_encode('key:2')], self::part($lines, 1, 'reply'));
        self::assertSame(['closed'], array_keys((array) $lines[4]));
    }

    public function testATrialWithoutOrdersIsLoadedAndNoMore(): void
    {
        [$answers, $code] = self::answers();

        self::assertSame(0, $code);
        self::assertSame(['loaded'], array_map(key(...), $answers));
    }

    public function testOneTrialMayFollowAnotherAndNothingThatItKeptIsLeft(): void
    {
        $orders = ['{"connect": {}}', '{"echo": {"first": 0, "commands": 1, "bytes": 1}}', '{"work": {"first": [0], "lead_in_ns": 0, "ns": 1, "keep": true}}'];
        [$answers, $code] = self::answers(...$orders, ...[[], ...$orders], ...[[], ...$orders, '{"samples": {}}']);

        self::assertSame(0, $code);
        $names = ['loaded', 'connected', 'replies', 'worked'];
        self::assertSame([...$names, ...$names, ...$names, 'samples'], array_map(key(...), $answers));
        self::assertSame([$answers[2], $answers[2]], [$answers[6], $answers[10]]);
        self::assertSame([1], self::part($answers[12], 'samples', 'counts'));
    }

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
        $trial = self::trial($path, str_contains((string) json_encode($orders), 'arrivals'));
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
    private static function trial(string $workload, bool $isOpen): array
    {
        return [
            'client' => 'null', 'adapter' => 'NullAdapter.php', 'options' => [], 'scenario' => 'sync', 'shape' => [],
            'workload' => $workload, 'samples' => 1_000_000, 'open' => $isOpen, 'server' => [],
        ];
    }
}
