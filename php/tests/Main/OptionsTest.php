<?php

declare(strict_types=1);

namespace Respmark\Tests\Main;

use PHPUnit\Framework\Attributes\DataProvider;
use Respmark\Tests\Support\Runner;
use Respmark\Tests\Support\ServerTestCase;
use Respmark\Tests\Support\Trials;

/** @internal */
final class OptionsTest extends ServerTestCase
{
    /**
     * Replies are right with every option, and the result states what was on.
     *
     * @param array<string, int|string> $options
     * @param array<string, int|string> $stated
     */
    #[DataProvider('provideOptionsTakeEffectCases')]
    public function testOptionsTakeEffect(string $library, string $environment, array $options, array $stated): void
    {
        $changes = ['client' => ['library' => $library, 'options' => $options], 'verify_commands' => 300];
        [, $slice, $result] = Trials::measure(Trials::of($library, self::server()->port, 'batching', ['depth' => 10], $changes), $environment);
        self::assertIsArray($result['runtime_settings']);
        self::assertSame($stated, array_intersect_key($result['runtime_settings'], $stated) === $stated ? $stated : $result['runtime_settings']);
        self::assertSame([], $slice['errors']);
    }

    /** @return iterable<string, array{string, string, array<string, int|string>, array<string, int|string>}> */
    public static function provideOptionsTakeEffectCases(): iterable
    {
        yield 'phpredis jit' => ['phpredis', 'default', ['jit' => 'on'], ['jit' => 'on: tracing']];

        yield 'phpredis php serializer' => ['phpredis', 'default', ['serializer' => 'php'], ['serializer' => 'php']];
        foreach (['IGBINARY' => 'serializer', 'LZ4' => 'compression', 'ZSTD' => 'compression', 'LZF' => 'compression'] as $name => $option) {
            if (defined('Redis::'.strtoupper($option)."_{$name}")) {
                $value = strtolower($name);

                yield "phpredis {$value}" => ['phpredis', 'default', [$option => $value], [$option => $value]];
            }
        }

        yield 'predis RESP3' => ['predis', 'default', ['protocol' => 3], ['protocol' => 3]];

        yield 'predis jit' => ['predis', 'default', ['jit' => 'on'], ['jit' => 'on: tracing']];

        yield 'old predis jit' => ['predis', 'predis-1.1.10', ['jit' => 'on'], ['jit' => 'on: tracing']];
    }

    /** With RESP3 the connection really speaks it. */
    public function testTheProtocolIsTheOneAskedFor(): void
    {
        foreach ([2, 3] as $protocol) {
            $changes = ['client' => ['library' => 'predis', 'options' => ['protocol' => $protocol]]];
            $runner = Runner::of(Trials::of('predis', self::server()->port, changes: $changes));
            $runner->connect();
            $clients = self::server()->control->rawcommand('CLIENT', 'LIST');
            self::assertIsString($clients);
            self::assertSame(3 === $protocol ? 1 : 0, substr_count($clients, 'resp=3'));
            self::assertSame([1, "standard input ended before the result; due: slice or finish\n"], $runner->end());
        }
    }

    /** Values that a serializer or a compression made are what the server holds. */
    public function testTheServerHoldsWhatTheSerializerMade(): void
    {
        $key = 'key:0000003';
        foreach (['none' => false, 'php' => true] as $serializer => $isSerialized) {
            self::server()->preload();
            $changes = ['client' => ['library' => 'phpredis', 'options' => ['serializer' => $serializer]]];
            Trials::measure(Trials::of('phpredis', self::server()->port, changes: $changes + ['verify_commands' => 300]));
            $value = self::server()->control->get($key);
            self::assertIsString($value);
            self::assertSame($isSerialized, str_starts_with($value, 's:'));
        }
    }

    /**
     * What does not exist is invalid, what this library cannot express is unsupported: before anything is connected.
     *
     * @param array<string, mixed> $changes
     */
    #[DataProvider('provideWhatCannotBeDoneIsRefusedCases')]
    public function testWhatCannotBeDoneIsRefused(array $changes, int $code, string $environment, string $sentence): void
    {
        [$found, $errors] = Trials::refused(Trials::of('', 1, changes: $changes), $environment);
        self::assertStringContainsString($sentence, $errors);
        self::assertSame($code, $found);
    }

    /** @return iterable<string, array{array<string, mixed>, int, string, string}> */
    public static function provideWhatCannotBeDoneIsRefusedCases(): iterable
    {
        $of = static fn (string $library, mixed ...$more): array => ['client' => ['library' => $library] + $more];

        yield 'library' => [$of('predus'), 2, 'default', 'trial.client.library must be one of phpredis, predis, not predus'];

        yield 'option' => [$of('phpredis', options: ['colour' => 'red']), 2, 'default', 'trial.client.options.colour is unknown; known are '];

        yield 'value' => [$of('predis', options: ['protocol' => 4]), 2, 'default', 'trial.client.options.protocol must be one of 2, 3'];

        yield 'version' => [$of('predis', version: '1.1.10'), 3, 'default', 'this environment has predis 3.7.1, not 1.1.10: run the trial in the environment predis-1.1.10'];

        yield 'distribution' => [$of('predis', version: 'distribution'), 3, 'predis-1.1.10', 'this environment has predis 1.1.10, not distribution'];

        yield 'old RESP3' => [$of('predis', options: ['protocol' => 3]), 3, 'predis-1.1.10', 'predis 1.1.10 here has protocol 2, not 3'];

        yield 'no packages' => [$of('predis'), 1, 'nowhere', 'predis is missing: '];
        foreach (['phpredis', 'predis'] as $library) {
            yield "{$library} pipelining" => [$of($library) + ['scenario' => 'pipelining', 'shape' => ['depth' => 2, 'window' => 'burst']], 3, 'default', "{$library} has no asynchronous API"];

            yield "{$library} threads" => [$of($library) + ['scenario' => 'threads', 'shape' => ['threads' => 2, 'connections' => 1]], 3, 'default', 'PHP runs a script on one thread; processes do it instead'];

            yield "{$library} pool" => [$of($library) + ['scenario' => 'pool', 'shape' => ['threads' => 2, 'max_total' => 2]], 3, 'default', "{$library} has no pool"];
        }
    }

    /** A driver that is not here is unsupported. */
    public function testADriverThatIsNotHere(): void
    {
        $absent = extension_loaded('relay') ? 'phpiredis' : 'relay';
        $changes = ['client' => ['library' => 'predis', 'options' => ['driver' => $absent]]];
        [$code, $errors] = Trials::refused(Trials::of('predis', 1, changes: $changes));
        self::assertSame(3, $code);
        self::assertStringContainsString("not {$absent}", $errors);
    }
}
