<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Respmark\Clients\Library;
use Respmark\Clients\Packages;
use Respmark\Clients\Session;
use Respmark\Contract\ClientDescription;
use Respmark\Contract\Difference;
use Respmark\Contract\MissingClient;
use Respmark\Contract\Trial;
use Respmark\Recorder\Jit;
use Respmark\Workload\Workload;

/** predis, pure PHP, in whichever version the folder of packages holds. */
final readonly class Predis implements Library
{
    private const NAME = 'predis';
    private const OPTIONS = [
        'driver' => ['php', 'relay', 'phpiredis'],
        'protocol' => [2, 3],
        'jit' => ['off', 'on'],
    ];
    private const ADVICE = 'run `make setup`';

    public function __construct(private Packages $packages) {}

    public function name(): string
    {
        return self::NAME;
    }

    public function describe(): ClientDescription|MissingClient
    {
        if (!$this->packages->load()) {
            return new MissingClient(self::NAME, $this->packages->missing(), self::ADVICE);
        }
        if (!class_exists(Client::class)) {
            return new MissingClient(self::NAME, 'the class Predis\Client is not there', self::ADVICE);
        }

        return new ClientDescription(self::NAME, Client::VERSION, self::dependencies(), self::options(), Difference::ofPhp());
    }

    public function missingOptions(): array
    {
        if ($this->describe() instanceof MissingClient) {
            return [];
        }
        $missing = [];
        foreach (array_diff(['relay', 'phpiredis'], self::drivers()) as $driver) {
            $missing[] = new MissingClient(self::NAME."[driver={$driver}]", self::withoutDriver($driver), "install the PHP extension {$driver}");
        }

        return $missing;
    }

    public function everyOption(): array
    {
        return self::OPTIONS;
    }

    public function load(Trial $trial, Workload $workload): Session
    {
        return new PredisSession($trial, $workload, $this->chosen($trial), $this->packages->origin());
    }

    /** @return array<string, non-empty-list<int|string>> */
    private static function options(): array
    {
        return [
            'driver' => self::drivers(),
            'protocol' => self::hasResp3() ? self::OPTIONS['protocol'] : [2],
            'jit' => Jit::isAvailable() ? self::OPTIONS['jit'] : ['off'],
        ];
    }

    /** @return non-empty-list<string> */
    private static function drivers(): array
    {
        $hasRelay = extension_loaded('relay') && class_exists('Predis\Connection\RelayConnection');
        $hasPhpiredis = extension_loaded('phpiredis') && class_exists('Predis\Connection\PhpiredisStreamConnection');

        return ['php', ...$hasRelay ? ['relay'] : [], ...$hasPhpiredis ? ['phpiredis'] : []];
    }

    private static function withoutDriver(string $driver): string
    {
        if (extension_loaded($driver)) {
            return 'predis '.Client::VERSION." does not work with {$driver}";
        }

        return "the PHP extension {$driver} is not loaded";
    }

    /** The versions that speak RESP3 are those with a parser for it. */
    private static function hasResp3(): bool
    {
        return class_exists('Predis\Protocol\Parser\Strategy\Resp3Strategy');
    }

    /** @return array<string, string> */
    private static function dependencies(): array
    {
        $found = [];
        foreach (array_diff(self::drivers(), ['php']) as $driver) {
            $found[$driver] = (string) phpversion($driver);
        }

        return $found;
    }

    /** @return array<string, int|string> every option, with the trial's value for it */
    private function chosen(Trial $trial): array
    {
        $chosen = [];
        foreach (self::options() as $name => $values) {
            $value = $trial->client->options[$name] ?? $values[0];
            $chosen[$name] = is_int($value) ? $value : (string) $value;
        }

        return $chosen;
    }
}
