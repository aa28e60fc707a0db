<?php

declare(strict_types=1);

namespace Respmark\Tests\Main;

use PHPUnit\Framework\Attributes\DataProvider;
use Respmark\Tests\Support\Paths;
use Respmark\Tests\Support\Runner;
use Respmark\Tests\Support\ServerTestCase;
use Respmark\Tests\Support\Trials;
use Respmark\Tests\Support\WorkloadFiles;

/** @internal */
final class BareTest extends ServerTestCase
{
    /** To each line it answers with the operations that the server counts, whole units from the command on that the line names. */
    #[DataProvider('provideBareLoopsClaimWhatTheServerCountsCases')]
    public function testBareLoopsClaimWhatTheServerCounts(string $library, string $environment, string $scenario, int $depth): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'respmark');
        WorkloadFiles::write($file, [['GET', [WorkloadFiles::KEY]], ['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]]);
        $loop = self::loop($library, $environment, $scenario, $file, $depth);
        self::assertSame('ready', $loop->line());
        foreach ([['0.05', 0], ['0.05', 1], ['0.000001', 16 + 1]] as [$seconds, $first]) {
            self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
            $loop->tell("{$seconds} {$first}\n");
            $line = (string) $loop->line();
            self::assertMatchesRegularExpression('/^[1-9]\d* [1-9]\d* \d+$/', $line);
            [$operations, $elapsed] = array_map(intval(...), explode(' ', $line));
            self::assertSame(0, $operations % $depth);
            self::assertGreaterThanOrEqual((int) ((float) $seconds * 1e9), $elapsed);
            $calls = self::server()->calls() + ['get' => 0, 'set' => 0];
            // Kinds alternate, and the first command is a GET.
            $ofFirst = intdiv($operations + 1, 2);
            self::assertSame(0 === $first % 2 ? [$ofFirst, $operations - $ofFirst] : [$operations - $ofFirst, $ofFirst], [$calls['get'], $calls['set']]);
        }
        self::assertSame([0, ''], $loop->end());
        unlink($file);
    }

    /** @return iterable<string, array{string, string, string, int}> */
    public static function provideBareLoopsClaimWhatTheServerCountsCases(): iterable
    {
        foreach (Trials::clients() as $name => [$library, $environment]) {
            yield "{$name}, sync" => [$library, $environment, 'sync', 1];

            yield "{$name}, batching" => [$library, $environment, 'batching', 31];
        }
    }

    /** A bare loop does no other scenario and no other command, and says so. */
    public function testOtherWorkIsRefused(): void
    {
        foreach (['phpredis', 'predis'] as $library) {
            $loop = self::loop($library, 'default', 'new-connection', Paths::WORKLOAD, 1);
            self::assertSame([1, "there is no bare loop for new-connection: use sync or batching\n"], $loop->end());
            $loop = self::loop($library, 'default', 'sync', Paths::WORKLOAD, 1);
            self::assertSame([1, "the bare loop knows GET and SET, not GETRANGE: use a workload of these\n"], $loop->end());
        }
    }

    private static function loop(string $library, string $environment, string $scenario, string $file, int $depth): Runner
    {
        $command = Paths::command('bare', ['{library}' => $library, '{environment}' => $environment]);
        $target = ['--host', '127.0.0.1', '--port', (string) self::server()->port];

        return new Runner([...$command, ...$target, '--workload', $file, '--scenario', $scenario, '--depth', (string) $depth]);
    }
}
