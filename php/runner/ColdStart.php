<?php

declare(strict_types=1);

namespace Respmark;

/**
 * Takes a library to its first reply, and says how long each stage took.
 *
 * @phpstan-import-type Trial from Adapter
 */
final readonly class ColdStart
{
    /**
     * @param int    $mainNs   the moment of the program's first line
     * @param string $packages the folder of Composer's packages; there may be none
     */
    public function __construct(private int $mainNs, private string $packages) {}

    /**
     * @param Trial $trial
     *
     * @return array<string, mixed>
     */
    public function answer(array $trial): array
    {
        try {
            return ['started' => $this->started($trial)];
        } catch (\DomainException $reason) {
            return ['unsupported' => $reason->getMessage()];
        }
    }

    /**
     * @param Trial $trial
     *
     * @return array<string, mixed>
     */
    private function started(array $trial): array
    {
        if ('on' === ($trial['options']['jit'] ?? 'off')) {
            throw new \DomainException('a cold start has PHP as it is installed, without a JIT');
        }
        [$adapter, $loadNs] = self::timed(fn (): Adapter => $this->load($trial));
        $workload = new Workload($trial['workload'], $adapter, 0);
        [$client, $createNs] = self::timed($adapter->create(...));
        [, $connectNs] = self::timed(static fn () => $adapter->open($client));
        [$reply, $firstNs] = self::timed(static fn (): mixed => $workload->send($client, 0));
        $adapter->close($client);

        return [
            'main_ns' => $this->mainNs,
            'load_ns' => $loadNs,
            'create_ns' => $createNs,
            'connect_ns' => $connectNs,
            'first_ns' => $firstNs,
            'reply' => is_string($reply) ? ['bytes' => base64_encode($reply)] : $reply,
            'versions' => [...$adapter->versions(), 'PHP' => PHP_VERSION],
        ];
    }

    /**
     * @param Trial $trial
     *
     * @return Adapter<object>
     */
    private function load(array $trial): Adapter
    {
        if (is_file("{$this->packages}/autoload.php")) {
            require "{$this->packages}/autoload.php";
        }

        require dirname(__DIR__)."/clients/{$trial['client']}/{$trial['adapter']}";

        /** @var class-string<Adapter<object>> $class */
        $class = 'Respmark\Clients\\'.basename($trial['adapter'], '.php');

        return new $class($trial);
    }

    /**
     * @template T
     *
     * @param \Closure(): T $stage
     *
     * @return array{T, int} what it returns, and the nanoseconds that it took
     */
    private static function timed(\Closure $stage): array
    {
        $beganNs = hrtime(true);
        $result = $stage();

        return [$result, hrtime(true) - $beganNs];
    }
}
