<?php

declare(strict_types=1);

namespace Respmark\Tests\Main;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Paths;
use Respmark\Tests\Support\Runner;

/** @internal */
final class DescribeTest extends TestCase
{
    private const SCENARIOS = ['sync', 'batching', 'transaction', 'new-connection'];

    /** `describe` follows its schema and has the fields of the golden one. */
    public function testTheDescriptionFollowsTheContract(): void
    {
        $line = $this->description('default');
        Runner::checkSchema($line, 'description');
        $golden = array_keys(Json::map(Paths::text('description.json')));
        self::assertEqualsCanonicalizing($golden, array_keys(Json::map($line)));
    }

    /** Each folder of packages has its own predis, and phpredis stands beside it. */
    #[DataProvider('provideTheVersionIsTheOneThatIsLoadedCases')]
    public function testTheVersionIsTheOneThatIsLoaded(string $environment, string $version): void
    {
        [$phpredis, $predis] = $this->clients($environment);
        self::assertSame(['phpredis', phpversion('redis')], [$phpredis['library'], $phpredis['version']]);
        self::assertSame(['predis', $version], [$predis['library'], $predis['version']]);
        foreach ([$phpredis, $predis] as $client) {
            self::assertIsArray($client['scenarios']);
            self::assertSame(self::SCENARIOS, array_keys($client['scenarios']));
            self::assertIsArray($client['scenarios']['transaction']);
            self::assertSame(['queued', 'batched'], $client['scenarios']['transaction']['forms'] ?? null);
        }
    }

    /** @return array<string, array{string, string}> */
    public static function provideTheVersionIsTheOneThatIsLoadedCases(): iterable
    {
        return ['default' => ['default', '3.7.1'], '1.1.10' => ['predis-1.1.10', '1.1.10']];
    }

    /** Defaults stand first; what an extension was built with is listed, RESP3 only where predis speaks it. */
    public function testOptionsAreThoseOfWhatIsHere(): void
    {
        [$phpredis, $predis] = array_column($this->clients('default'), 'options');
        self::assertIsArray($phpredis);
        self::assertIsArray($predis);
        self::assertSame(['off', 'on'], $phpredis['jit']);
        self::assertIsArray($phpredis['serializer']);
        self::assertSame(['none', 'php'], array_slice($phpredis['serializer'], 0, 2));
        self::assertSame(defined('Redis::SERIALIZER_IGBINARY'), in_array('igbinary', $phpredis['serializer'], true));
        self::assertIsArray($phpredis['compression']);
        self::assertSame(defined('Redis::COMPRESSION_LZ4'), in_array('lz4', $phpredis['compression'], true));
        self::assertSame([2, 3], $predis['protocol']);
        [, $old] = array_column($this->clients('predis-1.1.10'), 'options');
        self::assertIsArray($old);
        self::assertSame([2], $old['protocol']);
    }

    /** Drivers that are not here are named as missing, with what to install. */
    public function testDriversThatAreNotHereAreMissing(): void
    {
        $missing = Json::map($this->description('default'))['missing'];
        self::assertIsArray($missing);
        foreach (['relay', 'phpiredis'] as $driver) {
            if (!extension_loaded($driver)) {
                $wanted = ['library' => "predis[driver={$driver}]", 'reason' => "the PHP extension {$driver} is not loaded", 'advice' => "install the PHP extension {$driver}"];
                self::assertContains($wanted, $missing);
            }
        }
    }

    /** Without its folder of packages predis is missing, and phpredis is there. */
    public function testPhpredisNeedsNoPackages(): void
    {
        $description = Json::map($this->description('nowhere'));
        self::assertIsArray($description['clients']);
        self::assertSame(['phpredis'], array_column($description['clients'], 'library'));
        self::assertIsArray($description['missing']);
        self::assertSame(['predis'], array_column($description['missing'], 'library'));
    }

    /** Without the extension phpredis is missing, and predis is there. */
    public function testPredisNeedsNoExtension(): void
    {
        $script = Runner::command();
        $at = (int) array_search('--packages', $script, true) - 1;
        $runner = new Runner(['php', '-n', $script[$at], '--packages', Paths::packages('default'), 'describe']);
        $line = (string) $runner->line();
        Runner::checkSchema($line, 'description');
        $description = Json::map($line);
        self::assertIsArray($description['clients']);
        self::assertSame(['predis'], array_column($description['clients'], 'library'));
        self::assertStringContainsString('"the PHP extension redis is not loaded"', $line);
        self::assertSame([0, ''], $runner->end());
    }

    /** @param list<string> $arguments */
    #[DataProvider('provideOtherCommandsAreRefusedCases')]
    public function testOtherCommandsAreRefused(array $arguments): void
    {
        $script = Runner::command();
        $runner = new Runner([...array_slice($script, 0, (int) array_search('--packages', $script, true)), ...$arguments]);
        self::assertNull($runner->line());
        self::assertSame([2, "usage: respmark-php --packages FOLDER describe|run\n"], $runner->end());
    }

    /** @return array<string, array{list<string>}> */
    public static function provideOtherCommandsAreRefusedCases(): iterable
    {
        return [
            'nothing' => [[]],
            'no packages' => [['describe']],
            'unknown' => [['--packages', 'x', 'sing']],
            'too much' => [['--packages', 'x', 'describe', 'run']],
        ];
    }

    private function description(string $environment): string
    {
        $runner = new Runner([...Runner::command($environment), 'describe']);
        $line = (string) $runner->line();
        self::assertSame([0, ''], $runner->end());

        return $line;
    }

    /** @return list<array<array-key, mixed>> */
    private function clients(string $environment): array
    {
        $clients = Json::map($this->description($environment))['clients'];
        self::assertIsArray($clients);

        return array_values(array_filter($clients, is_array(...)));
    }
}
