<?php

declare(strict_types=1);

namespace Respmark;

/**
 * One trial, from its first line to the end of the input.
 *
 * @phpstan-import-type Trial from Adapter
 */
final class Runner
{
    private const NS = 1_000_000_000;

    private object $client;
    private Loop $loop;
    private int $walk;

    /**
     * @param Trial           $trial
     * @param Adapter<object> $adapter
     */
    private function __construct(
        private readonly array $trial,
        private readonly Adapter $adapter,
        private readonly Workload $workload,
        private readonly Commands $commands,
        private readonly Samples $samples,
    ) {
        $this->walk = intdiv($trial['part'] * $workload->count, $trial['parts']);
    }

    public static function run(string $line, string $packages): void
    {
        /** @var Trial $trial */
        $trial = json_decode($line, true, flags: JSON_THROW_ON_ERROR);

        try {
            if ('on' === ($trial['options']['jit'] ?? 'off')) {
                Settings::switchJitOn(); // for everything that is loaded from now on
            }
            self::loaded($trial, $packages)->obey();
        } catch (Unsupported $reason) {
            self::answer(['unsupported' => $reason->getMessage()]);
        }
    }

    /** @param Trial $trial */
    private static function loaded(array $trial, string $packages): self
    {
        require dirname(__DIR__)."/clients/{$trial['client']}/{$trial['adapter']}";

        /** @var class-string<Adapter<object>> $class */
        $class = 'Respmark\Clients\\'.basename($trial['adapter'], '.php');
        $adapter = new $class($trial);
        $workload = Workload::read($trial['workload']);
        $commands = $workload->commands($adapter->commands(), $trial['shape']['depth'] ?? 1, $trial['client']);
        $loaded = new self($trial, $adapter, $workload, $commands, new Samples($trial['samples']));
        gc_collect_cycles();
        gc_mem_caches();
        $versions = [...$adapter->versions(), 'PHP' => PHP_VERSION];
        $settings = [...$adapter->settings(), ...Settings::ofPhp(), 'packages' => $packages];
        self::answer(['loaded' => ['contract' => 3, 'versions' => $versions, 'settings' => $settings]]);

        return $loaded;
    }

    private function obey(): void
    {
        while (false !== ($line = fgets(STDIN))) {
            /** @var array<string, array{commands: int, bytes: int, first: int, lead_in_ns: int, ns: int, keep: bool}> $order */
            $order = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
            $name = (string) array_key_first($order);
            $asked = $order[$name];
            self::answer(match ($name) {
                'connect' => $this->connect(),
                'echo' => ['replies' => $this->echo($asked['commands'], $asked['bytes'])],
                'work' => ['worked' => $this->work($asked['first'], $asked['lead_in_ns'], $asked['ns'], $asked['keep'])],
                'bare' => ['bared' => $this->bare($asked['first'], $asked['ns'])],
                default => ['samples' => $this->samples->take()],
            });
        }
        if ('new-connection' !== $this->trial['scenario'] && isset($this->client)) {
            $this->adapter->close($this->client);
        }
    }

    /** @return array<string, object> */
    private function connect(): array
    {
        if ('new-connection' !== $this->trial['scenario']) {
            $this->client = $this->adapter->connect();
        }
        $recover = function (\Exception $error): void {
            if (isset($this->client)) {
                $this->adapter->recover($this->client, $error);
            }
        };
        $this->loop = new Loop($this->unit(), $recover, $this->step(), $this->workload->count, $this->samples);

        return ['connected' => (object) []];
    }

    private function step(): int
    {
        return $this->trial['shape']['depth'] ?? 1;
    }

    /** @return \Closure(int): mixed performs the unit that begins at a command, and returns its reply or replies */
    private function unit(): \Closure
    {
        [$adapter, $client, $commands] = [$this->adapter, $this->client ?? null, $this->commands];
        [$depth, $form] = [$this->step(), $this->trial['shape']['form'] ?? ''];
        if (null === $client) {
            return static function (int $at) use ($adapter, $commands): mixed {
                $client = $adapter->connect();
                $reply = $commands->send($client, $at);
                if (false === $reply) {
                    $adapter->check($client);
                }
                $adapter->close($client);

                return $reply;
            };
        }

        return match ($this->trial['scenario']) {
            'batching' => static fn (int $at): array => $adapter->batch($client, $commands, $at, $depth),
            'transaction' => static fn (int $at): array => $adapter->transaction($client, $commands, $at, $depth, $form),
            default => static function (int $at) use ($adapter, $client, $commands): mixed {
                $reply = $commands->send($client, $at);
                if (false === $reply) {
                    $adapter->check($client);
                }

                return $reply;
            },
        };
    }

    /** @return list<mixed> */
    private function echo(int $commands, int $bytes): array
    {
        [$unit, $replies, $length] = [$this->unit(), [], 0];
        while (count($replies) < $commands && $length < $bytes) {
            $reply = $unit(($this->walk + count($replies)) % $this->workload->count);
            foreach (isset($this->trial['shape']['depth']) ? (array) $reply : [$reply] as $one) {
                $replies[] = $encoded = Replies::encoded($one);
                $length += strlen((string) json_encode($encoded));
            }
        }

        return $replies;
    }

    /** @return array<string, mixed> */
    private function work(int $first, int $leadInNs, int $ns, bool $keep): array
    {
        $loop = $this->loop;
        $loop->at = ($first + $this->walk) % $this->workload->count;
        [$loop->errors, $loop->firstError] = [[], null];
        $started = self::moment();
        $leadIn = $leadInNs > 0 ? $loop->run($started[0] + $leadInNs) : 0;
        $measuredFrom = self::moment();
        $measured = $loop->run($measuredFrom[0] + $ns);
        $ended = self::moment();
        if ($keep) {
            $this->samples->keep($measured);
        }

        return [
            'started' => $started,
            'measured_from' => $measuredFrom,
            'ended' => $ended,
            'lead_in' => [$leadIn],
            'measured' => [$measured],
            'errors' => (object) $loop->errors,
            'first_error' => $loop->firstError,
            'cache' => null,
        ];
    }

    /**
     * A loop as a user would write it, without latencies and failures: what the measured loop is held against.
     *
     * @return array<string, mixed>
     */
    private function bare(int $first, int $ns): array
    {
        [$unit, $step, $length, $units] = [$this->unit(), $this->step(), $this->workload->count, 0];
        $at = ($first + $this->walk) % $length;
        $started = self::moment();
        $until = $started[0] + $ns;
        do {
            $unit($at);
            $at = ($at + $step) % $length;
            ++$units;
        } while (\hrtime(true) < $until);

        return ['units' => $units, 'started' => $started, 'ended' => self::moment()];
    }

    /** @return array{int, int, int} the clock, user and system CPU of this process, in nanoseconds */
    private static function moment(): array
    {
        /** @var array<string, int> $used */
        $used = getrusage();

        return [
            \hrtime(true),
            $used['ru_utime.tv_sec'] * self::NS + $used['ru_utime.tv_usec'] * 1_000,
            $used['ru_stime.tv_sec'] * self::NS + $used['ru_stime.tv_usec'] * 1_000,
        ];
    }

    /** @param array<string, mixed> $answer */
    private static function answer(array $answer): void
    {
        fwrite(STDOUT, json_encode($answer, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES)."\n");
    }
}
