<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

use Respmark\Clients\Library;
use Respmark\Clients\Session;
use Respmark\Contract\ClientDescription;
use Respmark\Contract\Difference;
use Respmark\Contract\MissingClient;
use Respmark\Contract\Trial;
use Respmark\Recorder\Jit;
use Respmark\Workload\Workload;

/** phpredis, the C extension `redis`. */
final class Phpredis implements Library
{
    private const NAME = 'phpredis';
    private const OPTIONS = [
        'serializer' => ['none', 'php', 'igbinary', 'msgpack'],
        'compression' => ['none', 'lzf', 'zstd', 'lz4'],
        'jit' => ['off', 'on'],
    ];

    public function name(): string
    {
        return self::NAME;
    }

    public function describe(): ClientDescription|MissingClient
    {
        if (!extension_loaded('redis')) {
            return new MissingClient(
                self::NAME,
                'the PHP extension redis is not loaded',
                'install it (php-redis, or `pecl install redis`), then run `make setup`',
            );
        }

        return new ClientDescription(self::NAME, (string) phpversion('redis'), self::dependencies(), self::options(), self::differences());
    }

    public function missingOptions(): array
    {
        return [];
    }

    public function everyOption(): array
    {
        return self::OPTIONS;
    }

    public function load(Trial $trial, Workload $workload): Session
    {
        return new PhpredisSession($trial, $workload, $this->chosen($trial));
    }

    /** @return list<Difference> */
    private static function differences(): array
    {
        $timeout = (string) Connector::TIMEOUT_S;

        return [
            new Difference('timeout of connect', 'none', "{$timeout} s", 'a host that answers nothing would be waited for as long as the system does'),
            ...Difference::ofPhp(),
        ];
    }

    /** @return array<string, non-empty-list<int|string>> */
    private static function options(): array
    {
        return [
            'serializer' => self::compiledIn('SERIALIZER', ...self::OPTIONS['serializer']),
            'compression' => self::compiledIn('COMPRESSION', ...self::OPTIONS['compression']),
            'jit' => Jit::isAvailable() ? self::OPTIONS['jit'] : ['off'],
        ];
    }

    /** @return non-empty-list<string> the first, and the others that the extension was built with */
    private static function compiledIn(string $group, string $first, string ...$others): array
    {
        $has = static fn (string $value): bool => defined("Redis::{$group}_".strtoupper($value));

        return [$first, ...array_values(array_filter($others, $has))];
    }

    /** @return array<string, string> */
    private static function dependencies(): array
    {
        $igbinary = phpversion('igbinary');

        return false === $igbinary ? [] : ['igbinary' => $igbinary];
    }

    /** @return array<string, string> every option, with the trial's value for it */
    private function chosen(Trial $trial): array
    {
        $chosen = [];
        foreach (self::OPTIONS as $name => $values) {
            $chosen[$name] = (string) ($trial->client->options[$name] ?? $values[0]);
        }

        return $chosen;
    }
}
