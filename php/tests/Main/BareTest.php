<?php

declare(strict_types=1);

namespace Respmark\Tests\Main;

use PHPUnit\Framework\Attributes\DataProvider;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Numbers;
use Respmark\Tests\Support\Paths;
use Respmark\Tests\Support\Runner;
use Respmark\Tests\Support\ServerTestCase;
use Respmark\Tests\Support\Trials;
use Respmark\Tests\Support\WorkloadFiles;

/** @internal */
final class BareTest extends ServerTestCase
{
    /**
     * GETs and SETs at the server add up to the operations of the bare loop.
     *
     * @param array<string, int> $shape
     */
    #[DataProvider('provideBareLoopsClaimWhatTheServerCountsCases')]
    public function testBareLoopsClaimWhatTheServerCounts(string $library, string $environment, string $scenario, array $shape): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'respmark');
        WorkloadFiles::write($file, [['GET', [WorkloadFiles::KEY]], ['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]]);
        $words = ['{library}' => $library, '{environment}' => $environment];
        $loop = new Runner(Paths::command('bare', $words));
        $trial = Trials::of($library, self::server()->port, $scenario, $shape, ['workload' => ['path' => $file]]);
        $loop->tell(json_encode($trial, JSON_THROW_ON_ERROR)."\n");
        self::assertSame('{"event":"ready"}', $loop->line());
        self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
        $loop->begin();
        $result = Json::map((string) $loop->line());
        $calls = self::server()->calls();
        self::assertSame(['operations', 'elapsed_ns', 'cpu_ns'], array_keys($result));
        self::assertGreaterThan(0, $result['operations']);
        self::assertSame($result['operations'], ($calls['get'] ?? 0) + ($calls['set'] ?? 0));
        self::assertLessThanOrEqual(1, abs($calls['get'] - $calls['set']));
        self::assertGreaterThanOrEqual(100_000_000, Numbers::of($result['elapsed_ns']));
        self::assertSame([0, ''], $loop->finish());
        unlink($file);
    }

    /** @return iterable<string, array{string, string, string, array<string, int>}> */
    public static function provideBareLoopsClaimWhatTheServerCountsCases(): iterable
    {
        foreach (Trials::clients() as $name => [$library, $environment]) {
            yield "{$name}, sync" => [$library, $environment, 'sync', []];

            yield "{$name}, batching" => [$library, $environment, 'batching', ['depth' => 30]];
        }
    }

    /** What a bare loop does not know it says. */
    public function testOtherScenariosAreRefused(): void
    {
        foreach (['phpredis', 'predis'] as $library) {
            $loop = new Runner(Paths::command('bare', ['{library}' => $library, '{environment}' => 'default']));
            $loop->tell(json_encode(Trials::of($library, 1, 'new-connection'), JSON_THROW_ON_ERROR)."\n");
            self::assertSame([1, "there is no bare loop for new-connection: use sync or batching\n"], $loop->finish());
        }
    }
}
