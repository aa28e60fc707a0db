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
     * In every slice the server counts exactly the calls that are claimed, and the events have the contract's form.
     *
     * @param array<string, mixed> $shape
     */
    #[DataProviderExternal(Trials::class, 'everyScenarioOfEveryClient')]
    public function testTheServerCountsWhatTheRunnerClaims(string $library, string $environment, string $scenario, array $shape, string $covers): void
    {
        $runner = Runner::of(Trials::of($library, self::server()->port, $scenario, $shape), $environment);
        $ready = $runner->connect();
        self::assertSameFields('ready.json', $ready);
        self::assertGreaterThanOrEqual(30, $ready['verified_replies']);
        $kept = 0;
        foreach ([['keep_samples' => false], ['slice' => 2], ['slice' => 3, 'lead_in_ns' => 0, 'first_command' => 999]] as $number => $changes) {
            self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
            $slice = $runner->slice($changes);
            self::assertSame(self::expectedCalls($slice, $scenario), self::sorted(self::server()->calls()));
            self::assertSameFields('slice.json', $slice);
            self::assertSame([$number + 1, []], [$slice['slice'], $slice['errors']]);
            [$leadIn, $measured] = [Json::part($slice['lead_in']), Json::part($slice['measured'])];
            self::assertGreaterThan(0, Numbers::of($measured['units']));
            self::assertSame(2 === $number, 0 === $leadIn['units']);
            self::assertSame(Numbers::of($measured['units']) * Numbers::of($shape['depth'] ?? 1), $measured['operations']);
            $kept += 0 === $number ? 0 : Numbers::of($measured['units']);
        }
        $result = $runner->result();
        self::assertSameFields('result.json', $result);
        $latency = Json::part($result['latency']);
        self::assertSame([$covers, $kept], [$latency['sample_covers'], array_sum(array_column(Json::part($latency['histogram']), 1))]);
        self::assertSame([0, ''], $runner->end());
    }

    /** Results name the version that was loaded, PHP's own settings, and memory. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testTheResultSaysWhatWasMeasured(string $library, string $environment): void
    {
        [,, $result] = Trials::measure(Trials::of($library, self::server()->port), $environment);
        $version = ['phpredis' => phpversion('redis'), 'predis' => 'default' === $environment ? '3.7.1' : '1.1.10'];
        self::assertSame($version[$library], Json::part($result['versions'])[$library]);
        self::assertSame(PHP_VERSION, Json::part($result['versions'])['PHP']);
        $settings = Json::part($result['runtime_settings']);
        self::assertSame(['hrtime', 'on', 'off', '512M'], [$settings['clock'], $settings['opcache'], $settings['jit'], $settings['memory_limit']]);
        self::assertSame(0, Json::part($result['runtime_health'])['gc_collections']);
        self::assertGreaterThan(1 << 20, $result['peak_memory_bytes']);
        if ('phpredis' === $library) {
            self::assertSame(['none', 'none'], [$settings['serializer'], $settings['compression']]);
        }
    }

    /** The connection is opened when that is ordered, not before, and no other; it is kept until standard input ends. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testOneConnectionIsOpenedAndStaysOpen(string $library, string $environment): void
    {
        $connections = static fn (): array => [
            self::server()->figure('clients', 'connected_clients'), self::server()->figure('stats', 'total_connections_received'),
        ];
        [$connected, $received] = $connections();
        $runner = Runner::of(Trials::of($library, self::server()->port, 'batching', ['depth' => 5]), $environment);
        self::assertSameFields('loaded.json', $runner->event());
        self::assertSame([$connected, $received], $connections());
        $runner->order('connect');
        self::assertGreaterThan(0, $runner->event()['connect_ns']);
        self::assertSame([$connected + 1, $received + 1], $connections());
        $runner->slice();
        $runner->slice(['slice' => 2]);
        $runner->result();
        self::assertSame([$connected + 1, $received + 1], $connections());
        self::assertSame([0, ''], $runner->end());
    }

    /** While others have their turn the runner sleeps: it wakes up for nothing, and has one thread. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testWaitingIsSleeping(string $library, string $environment): void
    {
        $runner = Runner::of(Trials::of($library, self::server()->port, 'batching', ['depth' => 5]), $environment);
        $runner->connect();
        $runner->slice();
        usleep(50_000);
        $before = $runner->status();
        usleep(250_000);
        self::assertSame(['S', '1'], [$before['State'], $before['Threads']]);
        self::assertSame($before, $runner->status());
        $runner->slice(['slice' => 2]);
        $runner->result();
        self::assertSame([0, ''], $runner->end());
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
        array_map(static fn (Runner $runner): array => $runner->connect(), $runners);
        self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
        array_map(static fn (Runner $runner) => $runner->beginSlice(['first_command' => 0]), $runners);
        $expected = $firsts = [];
        foreach ($runners as $runner) {
            $slice = $runner->event();
            $firsts[] = Numbers::of(Json::part(Json::part($slice['segments'])[0])['first_command']);
            foreach (Trials::expectedCalls($slice) as $name => $count) {
                $expected[$name] = ($expected[$name] ?? 0) + $count;
            }
        }
        $calls = self::server()->calls();
        ksort($expected);
        ksort($calls);
        self::assertSame($expected, $calls);
        $golden = Json::part(Json::map(Paths::text('workload.json'))['first_command_of_part']);
        self::assertCount($processes, array_flip($firsts));
        if (2 === $processes) {
            self::assertSame([$golden['0 of 2'], $golden['1 of 2']], $firsts);
        }
        foreach ($runners as $runner) {
            $runner->result();
            self::assertSame([0, ''], $runner->end());
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

    /** Verification rounds up to whole units, and nothing else is done before `ready`. */
    public function testUnitsAreVerifiedWhole(): void
    {
        self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
        $runner = Runner::of(Trials::of('phpredis', self::server()->port, 'batching', ['depth' => 7]));
        self::assertSame(35, $runner->connect()['verified_replies']);
        self::assertSame(35, array_sum(self::server()->calls()));
        $runner->result();
        self::assertSame([0, ''], $runner->end());
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
        [, $slice] = Trials::measure(Trials::of($library, 0, changes: ['target' => $target]), $environment);
        self::assertSame([], $slice['errors']);
        self::assertSame(0, $server->control->dbSize());
    }

    /** Every command of the golden workload of commands is verified, and arrives as it stands in the file. */
    #[DataProvider('provideEveryCommandWorksCases')]
    public function testEveryCommandWorks(string $library, string $environment, string $scenario): void
    {
        $file = Paths::GOLDEN.'/commands.workload';
        self::server()->preloadStructures($file);
        $shape = match ($scenario) {
            'batching' => ['depth' => 14],
            'transaction' => ['depth' => 14, 'form' => 'batched'],
            default => [],
        };
        $changes = ['workload' => ['path' => $file], 'verify_commands' => 200];
        $runner = Runner::of(Trials::of($library, self::server()->port, $scenario, $shape, $changes), $environment);
        $runner->connect();
        self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
        $slice = $runner->slice();
        self::assertSame(self::expectedCalls($slice, $scenario, $file), self::sorted(self::server()->calls()));
        self::assertSame([], $slice['errors']);
        $runner->result();
        self::assertSame([0, ''], $runner->end());
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function provideEveryCommandWorksCases(): iterable
    {
        foreach (Trials::clients() as $name => [$library, $environment]) {
            foreach (['sync', 'batching', 'transaction'] as $scenario) {
                yield "{$name}, {$scenario}" => [$library, $environment, $scenario];
            }
        }
    }

    /** A command that no method sends is refused with exit code 3. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testACommandWithoutAMethodIsRefused(string $library, string $environment): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'respmark');
        WorkloadFiles::write($file, [['NOSUCH', [WorkloadFiles::KEY]]]);
        $runner = Runner::of(Trials::of($library, self::server()->port, changes: ['workload' => ['path' => $file]]), $environment);
        [$code, $said] = $runner->end();
        unlink($file);
        self::assertSame(3, $code);
        self::assertStringContainsString('has no method that sends NOSUCH', $said);
    }

    /** A million commands, as the post's workload has them, are loaded in less than 150 MB. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testAMillionCommandsFit(string $library, string $environment): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'respmark');
        $get = ['GET', [WorkloadFiles::KEY]];
        $mix = [$get, $get, $get, $get, ['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]];
        WorkloadFiles::write($file, $mix, ['value_size_max' => 1100], 1100, 25_000);
        self::server()->control->flushAll();
        $changes = ['workload' => ['path' => $file], 'verify_commands' => 0];
        [,, $result] = Trials::measure(Trials::of($library, self::server()->port, 'batching', ['depth' => 1000], $changes), $environment);
        unlink($file);
        self::assertLessThan(150_000_000, $result['peak_memory_bytes']);
        self::assertGreaterThan(64_000_000, $result['peak_memory_bytes']);
    }

    /** Peak memory is the process's own: a parent's larger one is not told. */
    public function testPeakMemoryIsNotTheParents(): void
    {
        $ours = str_repeat('x', 300 << 20);
        [,, $result] = Trials::measure(Trials::of('phpredis', self::server()->port));
        self::assertLessThan(strlen($ours), $result['peak_memory_bytes']);
        self::assertGreaterThan(Json::part($result['runtime_settings'])['php_peak_memory_bytes'], $result['peak_memory_bytes']);
    }

    /** @param array<string, mixed> $event */
    private static function assertSameFields(string $golden, array $event): void
    {
        self::assertSame(array_keys(Json::map(Paths::text($golden))), array_keys($event));
    }

    /**
     * What the server must have counted in a slice, by the server's own names of commands.
     *
     * @param array<string, mixed> $slice
     *
     * @return array<string, int>
     */
    private static function expectedCalls(array $slice, string $scenario, string $path = Paths::WORKLOAD): array
    {
        $calls = [];
        foreach (Trials::expectedCalls($slice, $path) as $name => $count) {
            $calls[str_replace(' ', '|', $name)] = $count;
        }
        if ('transaction' === $scenario) {
            $units = Numbers::of(Json::part($slice['lead_in'])['units']) + Numbers::of(Json::part($slice['measured'])['units']);
            $calls += ['multi' => $units, 'exec' => $units];
        }

        return self::sorted($calls);
    }

    /**
     * @param array<string, int> $calls
     *
     * @return array<string, int>
     */
    private static function sorted(array $calls): array
    {
        ksort($calls);

        return $calls;
    }
}
