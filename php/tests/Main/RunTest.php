<?php

declare(strict_types=1);

namespace Respmark\Tests\Main;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Numbers;
use Respmark\Tests\Support\Paths;
use Respmark\Tests\Support\Runner;
use Respmark\Tests\Support\ServerTestCase;
use Respmark\Tests\Support\Trials;
use Respmark\Tests\Support\WorkloadFiles;

/** @internal */
final class RunTest extends ServerTestCase
{
    /**
     * Calls of each command are exactly as claimed, and the result has the contract's form.
     *
     * @param array<string, mixed> $shape
     */
    #[DataProviderExternal(Trials::class, 'everyScenarioOfEveryClient')]
    public function testTheServerCountsWhatTheRunnerClaims(string $library, string $environment, string $scenario, array $shape, string $covers): void
    {
        $runner = Runner::of(Trials::of($library, self::server()->port, $scenario, $shape), $environment);
        $ready = $runner->event();
        self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
        $events = $runner->go();
        $result = end($events);
        $calls = self::server()->calls();
        self::assertSame([0, ''], $runner->finish());
        self::assertEqualsCanonicalizing(array_keys(Json::map(Paths::text('result.json'))), array_keys($result));
        self::assertEqualsCanonicalizing(array_keys(Json::map(Paths::text('ready.json'))), array_keys($ready));
        self::assertSame($covers, self::map($result['latency'])['sample_covers']);
        $units = Numbers::of($result['units']);
        self::assertGreaterThan(0, $units);
        self::assertSame($units * Numbers::of($shape['depth'] ?? 1), $result['operations']);
        $expected = Trials::expectedCalls($result);
        if ('transaction' === $scenario) {
            $expected += ['multi' => $units, 'exec' => $units];
        }
        ksort($expected);
        ksort($calls);
        self::assertSame($expected, $calls);
        self::assertSame([], $result['errors']);
        self::assertGreaterThanOrEqual(30, $ready['verified_replies']);
    }

    /** Results name the version that was loaded, PHP's own settings, and memory. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testTheResultSaysWhatWasMeasured(string $library, string $environment): void
    {
        [, $result] = Trials::measure(Trials::of($library, self::server()->port), $environment);
        $version = ['phpredis' => phpversion('redis'), 'predis' => 'default' === $environment ? '3.7.1' : '1.1.10'];
        self::assertSame($version[$library], self::map($result['versions'])[$library]);
        self::assertSame(PHP_VERSION, self::map($result['versions'])['PHP']);
        $settings = self::map($result['runtime_settings']);
        self::assertSame(['hrtime', 'on', 'off', '512M'], [$settings['clock'], $settings['opcache'], $settings['jit'], $settings['memory_limit']]);
        self::assertSame(0, self::map($result['runtime_health'])['gc_collections']);
        self::assertGreaterThan(1 << 20, $result['peak_memory_bytes']);
        if ('phpredis' === $library) {
            self::assertSame(['none', 'none'], [$settings['serializer'], $settings['compression']]);
        }
    }

    /** When the runner is ready it has its connection, and keeps it until standard input ends. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testOneConnectionIsOpenedBeforeTheWindowAndStaysOpen(string $library, string $environment): void
    {
        $before = self::server()->figure('clients', 'connected_clients');
        $runner = Runner::of(Trials::of($library, self::server()->port, 'batching', ['depth' => 5]), $environment);
        $runner->event();
        $received = self::server()->figure('stats', 'total_connections_received');
        self::assertSame($before + 1, self::server()->figure('clients', 'connected_clients'));
        $runner->go();
        self::assertSame($before + 1, self::server()->figure('clients', 'connected_clients'));
        self::assertSame($received, self::server()->figure('stats', 'total_connections_received'));
        self::assertSame([0, ''], $runner->finish());
    }

    /** Each part walks from its own command on; several processes at once are what PHP has in place of threads. */
    #[DataProvider('provideEachOfSeveralProcessesWalksItsOwnPartCases')]
    public function testEachOfSeveralProcessesWalksItsOwnPart(string $library, int $processes): void
    {
        $runners = [];
        for ($part = 0; $part < $processes; ++$part) {
            $workload = ['path' => Paths::WORKLOAD, 'part' => $part, 'parts' => $processes];
            $shape = ['processes' => $processes, 'depth' => 10];
            $runners[] = Runner::of(Trials::of($library, self::server()->port, 'batching', $shape, ['workload' => $workload]));
        }
        array_map(static fn (Runner $runner): array => $runner->event(), $runners);
        self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
        array_map(static fn (Runner $runner) => $runner->begin(), $runners);
        $expected = $firsts = [];
        foreach ($runners as $runner) {
            $result = $runner->event();
            self::assertSame('result', $result['event']);
            $firsts[] = Numbers::of(self::map(self::map($result['segments'])[0])['first_command']);
            foreach (Trials::expectedCalls($result) as $name => $count) {
                $expected[$name] = ($expected[$name] ?? 0) + $count;
            }
        }
        $calls = self::server()->calls();
        ksort($expected);
        ksort($calls);
        self::assertSame($expected, $calls);
        $golden = self::map(Json::map(Paths::text('workload.json'))['first_command_of_part']);
        self::assertCount($processes, array_flip($firsts));
        if (2 === $processes) {
            self::assertSame([$golden['0 of 2'], $golden['1 of 2']], $firsts);
        }
        foreach ($runners as $runner) {
            self::assertSame([0, ''], $runner->finish());
        }
    }

    /** @return iterable<string, array{string, int}> */
    public static function provideEachOfSeveralProcessesWalksItsOwnPartCases(): iterable
    {
        foreach (['phpredis', 'predis'] as $library) {
            foreach ([2, 4, 8] as $processes) {
                yield "{$library}, {$processes}" => [$library, $processes];
            }
        }
    }

    /** Verification rounds up to whole units; without warm-up nothing else is done before `ready`. */
    public function testUnitsAreVerifiedWhole(): void
    {
        $trial = Trials::of('phpredis', self::server()->port, 'batching', ['depth' => 7], ['warmup_s' => 0, 'verify_commands' => 30]);
        [$ready] = Trials::measure($trial);
        self::assertSame([35, 0], [$ready['verified_replies'], $ready['warmup_operations']]);
        self::assertGreaterThan(0, $ready['startup_ns']);
    }

    /** A window of more than a second tells how far it is, never more than the result claims. */
    public function testProgressIsToldEachSecond(): void
    {
        $runner = Runner::of(Trials::of('phpredis', self::server()->port, 'batching', ['depth' => 5], ['measure_s' => 1.2]));
        $runner->event();
        $events = $runner->go();
        [$progress, $result] = [$events[0], end($events)];
        self::assertEqualsCanonicalizing(array_keys(Json::map(Paths::text('progress.json'))), array_keys($progress));
        self::assertSame('progress', $progress['event']);
        self::assertLessThanOrEqual($result['operations'], $progress['operations']);
        self::assertNotNull($result['first_half']);
        self::assertSame([0, ''], $runner->finish());
    }

    /** A unix socket is a target like any other, and the trial's database is the one that is used. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testUnixSocketAndDatabase(string $library, string $environment): void
    {
        $server = $this->ownServer();
        $server->control->select(3);
        $server->preload();
        $server->control->select(0);
        $server->control->flushDB();
        $target = ['unix_socket' => $server->socket(), 'database' => 3];
        [, $result] = Trials::measure(Trials::of($library, 0, changes: ['target' => $target]), $environment);
        self::assertGreaterThan(0, $result['operations']);
        self::assertSame(0, $server->control->dbSize());
    }

    /** A mix of other commands arrives as it stands in the file. */
    #[DataProvider('provideAnyCommandWorksCases')]
    public function testAnyCommandWorks(string $library, string $environment, string $scenario): void
    {
        $key = WorkloadFiles::KEY;
        $file = (string) tempnam(sys_get_temp_dir(), 'respmark');
        WorkloadFiles::write($file, [
            ['RPUSH', [$key, WorkloadFiles::VALUE]],
            ['LRANGE', [$key, WorkloadFiles::literal('0'), WorkloadFiles::literal('1')]],
            ['LPOP', [$key]],
            ['PING', []],
            ['OBJECT ENCODING', [WorkloadFiles::literal('there')]],
            ['INCRBY', [WorkloadFiles::literal('counter'), WorkloadFiles::literal('2')]],
            ['MSET', [WorkloadFiles::literal('m'), WorkloadFiles::VALUE, WorkloadFiles::literal('m'), WorkloadFiles::VALUE]],
        ]);
        self::server()->control->flushAll();
        self::server()->control->set('there', '1');
        $shape = match ($scenario) {
            'batching' => ['depth' => 14],
            'transaction' => ['depth' => 14, 'form' => 'batched'],
            default => [],
        };
        $runner = Runner::of(Trials::of($library, self::server()->port, $scenario, $shape, ['workload' => ['path' => $file]]), $environment);
        $runner->event();
        self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
        $events = $runner->go();
        $result = end($events);
        $calls = self::server()->calls();
        $expected = Trials::expectedCalls($result, $file);
        if (isset($expected['object encoding'])) {
            $expected['object|encoding'] = $expected['object encoding'];
            unset($expected['object encoding']);
        }
        if ('transaction' === $scenario) {
            $expected += ['multi' => $result['units'], 'exec' => $result['units']];
        }
        ksort($expected);
        ksort($calls);
        self::assertSame($expected, $calls);
        self::assertSame([], $result['errors']);
        self::assertSame([0, ''], $runner->finish());
        unlink($file);
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function provideAnyCommandWorksCases(): iterable
    {
        foreach (Trials::clients() as $name => [$library, $environment]) {
            foreach (['sync', 'batching', 'transaction'] as $scenario) {
                yield "{$name}, {$scenario}" => [$library, $environment, $scenario];
            }
        }
    }

    /** A million commands with values of 1 KiB, as the post's workload has them, fit the memory that the runner may have. */
    public function testAMillionCommandsFit(): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'respmark');
        $get = ['GET', [WorkloadFiles::KEY]];
        $mix = [$get, $get, $get, $get, ['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]];
        WorkloadFiles::write($file, $mix, ['value_size_max' => 1100], 1100, 25_000);
        self::server()->control->flushAll();
        $changes = ['workload' => ['path' => $file], 'verify_commands' => 0];
        [, $result] = Trials::measure(Trials::of('predis', self::server()->port, 'batching', ['depth' => 1000], $changes));
        unlink($file);
        self::assertLessThan(512 << 20, $result['peak_memory_bytes']);
        self::assertGreaterThan(200 << 20, self::map($result['runtime_settings'])['php_peak_memory_bytes']);
    }

    /** @return array<array-key, mixed> */
    private static function map(mixed $value): array
    {
        self::assertIsArray($value);

        return $value;
    }
}
