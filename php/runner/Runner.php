<?php

declare(strict_types=1);

namespace Respmark;

/**
 * One trial. Of the lines that follow it, each is the method of its name.
 *
 * @phpstan-import-type Trial from Adapter
 * @phpstan-import-type Arrivals from Part
 * @phpstan-import-type Due from KeepGoing
 */
final class Runner
{
    /** @var Adapter<object> */
    private readonly Adapter $adapter;
    private readonly Workload $workload;
    private readonly Loop $loop;

    private ?object $client = null;

    /** What has kept going, and says when the client is closed. */
    private ?KeepGoing $application = null;

    /** Where the trial's client has a local cache. */
    private ?Caching $caching = null;

    /** @var \Closure(int): mixed performs the unit that begins at a command, and returns its reply or replies */
    private \Closure $unit;

    /** @param Trial $trial */
    public function __construct(private readonly array $trial)
    {
        $hasOpcache = '1' === ini_get('opcache.enable');
        // For everything that is loaded from now on.
        if ('on' === ($trial['options']['jit'] ?? 'off') && !($hasOpcache && false !== ini_set('opcache.jit', 'tracing'))) {
            throw new \DomainException("opcache's JIT cannot be switched on in this PHP");
        }

        if (isset($trial['options']['limits'])) {
            ini_set('default_socket_timeout', '60'); // PHP's own: what bounds a wait is to be as installed
        }

        require_once dirname(__DIR__)."/clients/{$trial['client']}/{$trial['adapter']}";

        /** @var class-string<Adapter<object>> $class */
        $class = 'Respmark\Clients\\'.basename($trial['adapter'], '.php');
        if (1 < ($trial['shape']['connections'] ?? 1)) {
            throw new \DomainException('PHP runs a script on one thread, which waits for each batch: use processes instead of connections');
        }
        $this->adapter = $adapter = new $class($trial);
        if ('caching' === $trial['scenario']) {
            $this->caching = $adapter instanceof Caching ? $adapter : throw new \DomainException('the adapter has no cache');
        }
        $depth = $trial['shape']['depth'] ?? 1;
        $this->workload = new Workload($trial['workload'], $this->adapter, $depth);
        $this->loop = new Loop($this->recover(...), $depth, $this->workload->count, $trial['samples'], $trial['open'] ?? false);
        gc_collect_cycles();
        gc_mem_caches();
    }

    /** @return array<string, mixed> */
    public function loaded(): array
    {
        $build = PHP_VERSION.(1 === PHP_ZTS ? ' ZTS' : '').(1 === PHP_DEBUG ? ' debug' : '');
        $settings = ['opcache' => '1' === ini_get('opcache.enable'), 'xdebug' => extension_loaded('xdebug')];
        $versions = [...$this->adapter->versions(), 'PHP' => $build];

        return ['loaded' => ['contract' => 4, 'versions' => $versions, 'settings' => $settings]];
    }

    /** @return array<string, mixed> */
    public function connect(): array
    {
        [$adapter, $commands] = [$this->adapter, $this->workload];
        if ('new-connection' === $this->trial['scenario']) {
            $this->unit = static function (int $at) use ($adapter, $commands): mixed {
                $client = $adapter->create();
                $adapter->open($client);
                $reply = $commands->send($client, $at);
                $adapter->close($client);

                return $reply;
            };
        } else {
            $this->client = $client = null === $this->caching ? $adapter->create() : $this->caching->cache($this->trial['shape']['cache_entries'] ?? 1);
            if (null === $this->caching) {
                $adapter->open($client);
            }
            $this->unit = isset($this->trial['shape']['depth'])
                ? $this->several($client, $this->loop->depth)
                : static fn (int $at): mixed => $commands->send($client, $at);
        }

        return ['connected' => (object) []];
    }

    /** @return \Closure(int): list<mixed> performs a unit of several commands */
    private function several(object $client, int $depth): \Closure
    {
        [$adapter, $commands, $form] = [$this->adapter, $this->workload, $this->trial['shape']['form'] ?? $this->trial['scenario']];
        if ('pipelining' !== $form) {
            return static fn (int $at): array => $adapter->block($client, $commands, $at, $depth, $form);
        }
        if (!$adapter instanceof Pipelining || 'burst' !== ($this->trial['shape']['window'] ?? '')) {
            throw new \DomainException('PHP runs a script on one thread, and the adapter has no bursts of commands');
        }

        return static fn (int $at): array => $adapter->burst($client, $commands, $at, $depth);
    }

    /** Closes the connection, after which another trial may follow. */
    public function close(): void
    {
        $failure = null;

        try {
            if (null !== $this->client) {
                $this->adapter->close($this->client);
            }
        } catch (\Throwable $failure) {
            null === $this->application && throw $failure;
        }
        $this->application?->close($failure);
    }

    private function recover(\Throwable $error): void
    {
        if (null !== $this->client) {
            $this->adapter->recover($this->client, $error);
        }
    }

    /** @return array<string, mixed> */
    public function echo(int $first, int $commands, int $bytes): array
    {
        [$replies, $length] = [[], 0];
        while (count($replies) < $commands && $length < $bytes) {
            $reply = ($this->unit)(($first + count($replies)) % $this->workload->count);
            foreach (isset($this->trial['shape']['depth']) ? (array) $reply : [$reply] as $one) {
                $replies[] = $encoded = self::encoded($one);
                $length += strlen((string) json_encode($encoded));
            }
        }

        $this->caching?->counts();

        return ['replies' => $replies];
    }

    /** PHP's strings are bytes, its `false` is how its libraries say that there is no value, and status replies are objects. */
    private static function encoded(mixed $reply): mixed
    {
        return match (true) {
            is_string($reply) => ['bytes' => base64_encode($reply)],
            false === $reply => null,
            $reply instanceof \Stringable => (string) $reply,
            is_array($reply) && array_is_list($reply) => array_map(self::encoded(...), $reply),
            is_array($reply) => ['map' => self::encoded(array_map(null, array_keys($reply), $reply))],
            default => $reply,
        };
    }

    /**
     * @param array{int}    $first
     * @param null|Arrivals $arrivals
     *
     * @return array<string, mixed>
     */
    public function work(array $first, int $lead_in_ns, int $ns, bool $keep, ?array $arrivals = null): array
    {
        $loop = $this->loop;
        [$leadInDue, $measuredDue] = null === $arrivals ? [null, null]
            : Part::read($arrivals, $lead_in_ns, $ns);
        $loop->at = $first[0];
        [$loop->errors, $loop->firstError] = [[], null];
        $started = self::moment();
        $leadIn = match (true) {
            null !== $leadInDue => $loop->runDue($this->unit, $leadInDue, false),
            $lead_in_ns > 0 => $loop->run($this->unit, $started[0] + $lead_in_ns, false),
            default => 0,
        };
        $measuredFrom = self::moment();
        $measured = null === $measuredDue
            ? $loop->run($this->unit, $measuredFrom[0] + $ns, $keep)
            : $loop->runDue($this->unit, $measuredDue, $keep);
        $ended = self::moment();

        $moments = ['started' => $started, 'measured_from' => $measuredFrom, 'ended' => $ended];
        $errors = ['errors' => (object) $loop->errors, 'first_error' => $loop->firstError];

        return ['worked' => [...$moments, 'lead_in' => [$leadIn], 'measured' => [$measured], ...$errors, 'cache' => $this->caching?->counts()]];
    }

    /**
     * A script has one thread: it answers when the command under way has ended, however long that takes.
     *
     * @param array{int} $first
     * @param Due        $due
     *
     * @return array<string, mixed>
     */
    public function keep_going(array $first, array $due, string $log, string $enough, int $until): array
    {
        [$perform, $begin, $count] = [$this->unit, $first[0], $this->workload->count];
        $unit = static fn (int $number): mixed => self::encoded($perform(($begin + $number) % $count));
        $this->application = new KeepGoing($log, $enough, $until);
        $this->application->perform($due, $unit, $this->recover(...));

        return ['went' => (object) []];
    }

    /** @return array<string, mixed> */
    public function samples(): array
    {
        return ['samples' => $this->loop->take()];
    }

    /** @return array<string, mixed> */
    public function bare(int $first, int $ns): array
    {
        // A loop as a user would write it, without latencies and failures: what the measured loop is held against.
        [$unit, $step, $length, $units] = [$this->unit, $this->loop->depth, $this->loop->commands, 0];
        $at = $first;
        $started = self::moment();
        $until = $started[0] + $ns;
        do {
            $unit($at);
            $at = ($at + $step) % $length;
            ++$units;
        } while (\hrtime(true) < $until);

        return ['bared' => ['units' => $units, 'started' => $started, 'ended' => self::moment()]];
    }

    /** @return array{int, int, int} the clock, user and system CPU of this process, in nanoseconds */
    private static function moment(): array
    {
        /** @var array<string, int> $used */
        $used = getrusage();
        $ns = static fn (string $time): int => 1_000 * (1_000_000 * $used["{$time}.tv_sec"] + $used["{$time}.tv_usec"]);

        return [\hrtime(true), $ns('ru_utime'), $ns('ru_stime')];
    }
}
