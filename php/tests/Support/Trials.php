<?php

declare(strict_types=1);

namespace Respmark\Tests\Support;

use PHPUnit\Framework\Assert;
use Respmark\Workload\WorkloadFile;

/** Short trials, and what becomes of them. */
final class Trials
{
    /** The fields of a short slice, but for its kind. */
    public const SLICE = ['slice' => 1, 'duration_ns' => 60_000_000, 'lead_in_ns' => 20_000_000, 'first_command' => 60, 'keep_samples' => true];

    /**
     * A trial of the golden workload; the changes are fields of the trial.
     *
     * @param array<string, mixed> $shape
     * @param array<string, mixed> $changes
     *
     * @return array<string, mixed>
     */
    public static function of(string $library, int $port, string $scenario = 'sync', array $shape = [], array $changes = []): array
    {
        return $changes + [
            'schema_version' => 2,
            'trial_id' => 'test',
            'client' => ['library' => $library],
            'scenario' => $scenario,
            'shape' => (object) $shape,
            'workload' => ['path' => Paths::WORKLOAD],
            'target' => ['host' => '127.0.0.1', 'port' => $port],
            'verify_commands' => 30,
        ];
    }

    /**
     * Runs a trial of one slice to its good end.
     *
     * @param array<string, mixed> $trial
     *
     * @return array{array<string, mixed>, array<string, mixed>, array<string, mixed>} the ready event, the slice and the result
     */
    public static function measure(array $trial, string $environment = 'default'): array
    {
        $runner = Runner::of($trial, $environment);
        $events = [$runner->connect(), $runner->slice(), $runner->result()];
        Assert::assertSame([0, ''], $runner->end());

        return $events;
    }

    /**
     * Runs a trial that must not be loaded.
     *
     * @param array<string, mixed>|string $trial
     * @param list<string>                $flags
     *
     * @return array{int, string} exit code, and all of standard error, which is one line
     */
    public static function refused(array|string $trial, string $environment = 'default', array $flags = []): array
    {
        return self::failure(Runner::of($trial, $environment, $flags));
    }

    /**
     * Runs a trial that must be loaded, but not become ready.
     *
     * @param array<string, mixed> $trial
     * @param list<string>         $flags
     *
     * @return array{int, string} exit code, and all of standard error, which is one line
     */
    public static function unready(array $trial, string $environment = 'default', array $flags = []): array
    {
        $runner = Runner::of($trial, $environment, $flags);
        Assert::assertSame('loaded', $runner->event()['event']);
        $runner->order('connect');

        return self::failure($runner);
    }

    /** @return array{int, string} exit code, and all of standard error, which is one line, of a runner that says nothing more */
    public static function failure(Runner $runner): array
    {
        Assert::assertNull($runner->line());
        [$code, $errors] = $runner->end();
        Assert::assertSame(1, substr_count($errors, "\n"), $errors);

        return [$code, trim($errors)];
    }

    /**
     * Every library in every version that there is here.
     *
     * @return array<string, array{string, string}> library and environment
     */
    public static function clients(): array
    {
        return [
            'phpredis' => ['phpredis', 'default'],
            'predis' => ['predis', 'default'],
            'predis 1.1.10' => ['predis', 'predis-1.1.10'],
        ];
    }

    /** @return array<string, array{string, array<string, mixed>, string}> scenario, shape, what a sample covers */
    public static function scenarios(): array
    {
        return [
            'sync' => ['sync', [], 'command'],
            'batching' => ['batching', ['depth' => 7], 'batch'],
            'batching beyond the workload' => ['batching', ['depth' => 300], 'batch'],
            'queued' => ['transaction', ['depth' => 5, 'form' => 'queued'], 'transaction'],
            'batched' => ['transaction', ['depth' => 5, 'form' => 'batched'], 'transaction'],
            'new-connection' => ['new-connection', [], 'connection'],
        ];
    }

    /** @return iterable<string, array{string, string, string, array<string, mixed>, string}> */
    public static function everyScenarioOfEveryClient(): iterable
    {
        foreach (self::clients() as $client => [$library, $environment]) {
            foreach (self::scenarios() as $name => [$scenario, $shape, $covers]) {
                yield "{$client}, {$name}" => [$library, $environment, $scenario, $shape, $covers];
            }
        }
    }

    /**
     * How often the server must have been sent each command.
     *
     * @param array<string, mixed> $slice
     *
     * @return array<string, int>
     */
    public static function expectedCalls(array $slice, string $path = Paths::WORKLOAD): array
    {
        $workload = WorkloadFile::read($path);
        $segments = $slice['segments'] ?? null;
        Assert::assertIsArray($segments);
        $segment = $segments[0] ?? null;
        Assert::assertIsArray($segment);
        $first = Numbers::of($segment['first_command'] ?? null);
        $calls = [];
        $end = $first + Numbers::of($segment['operations'] ?? null);
        for ($index = $first; $index < $end; ++$index) {
            $name = strtolower($workload->kind($index % $workload->header->commands)->name);
            $calls[$name] = ($calls[$name] ?? 0) + 1;
        }

        return $calls;
    }
}
