<?php

declare(strict_types=1);

namespace Respmark\Tests;

use PHPUnit\Framework\MockObject\Stub;
use PHPUnit\Framework\TestCase;
use Respmark\Adapter;
use Respmark\AnyCommand;
use Respmark\Call;
use Respmark\Workload;

final class WorkloadTest extends TestCase
{
    public function testGetsAndSetsAreCalledByName(): void
    {
        $client = new RecordingClient();
        $commands = $this->workload(
            [['name' => 'GET', 'arguments' => ['key']], ['name' => 'SET', 'arguments' => ['key', 'value']]],
            [[0], [1, 1]],
            [0, 1, 0],
            ['key:1', 'key:2', 'key:3'],
            ['GET' => static fn (): Call => new Call('get'), 'SET' => static fn (string $value): Call => new Call('set', $value)],
            depth: 2,
        );
        $commands->fill($client, 1, 3);

        $commands->send($client, 1);

        self::assertSame(
            [['set', 'key:2', 'longer'], ['get', 'key:3'], ['get', 'key:1'], ['set', 'key:2', 'longer']],
            $client->calls,
        );
    }

    public function testOtherCommandsHaveOneCallForEachKindAndValue(): void
    {
        $client = new RecordingClient();
        $made = 0;
        $makers = [
            'PING' => static fn (): Call => new Call('ping'),
            'MGET' => static fn (): Call => new Call('mget'),
            'MSET' => static fn (): Call => new Call('mset'),
            'ZADD' => static function (float $score, string $member) use (&$made): Call {
                ++$made;

                return new Call('zadd', $score, $member);
            },
        ];
        $commands = $this->workload(
            [
                ['name' => 'PING', 'arguments' => []],
                ['name' => 'MGET', 'arguments' => ['key', 'key']],
                ['name' => 'MSET', 'arguments' => ['key', 'value', 'key', 'value']],
                ['name' => 'ZADD', 'arguments' => ['key', ['literal' => 1.5], 'value']],
            ],
            [[0], [1], [2, 0, 1], [3, 0]],
            [3, 1, 0, 2, 3],
            ['key:1', 'key:2', 'key:3', 'key:4', 'key:5', 'key:6'],
            $makers,
        );
        $commands->fill($client, 0, 5);

        self::assertSame([
            ['zadd', 'key:1', 1.5, 'short'],
            ['mget', ['key:2', 'key:3']],
            ['ping'],
            ['mset', ['key:4' => 'short', 'key:5' => 'longer']],
            ['zadd', 'key:6', 1.5, 'short'],
        ], $client->calls);
        self::assertSame(1, $made);
    }

    public function testACommandThatTheAdapterLacksIsNamed(): void
    {
        $this->expectException(\DomainException::class);
        $this->expectExceptionMessage('the adapter does not send STRLEN');

        $this->workload([['name' => 'STRLEN', 'arguments' => ['key']]], [[0]], [0], ['key:1'], []);
    }

    public function testACommandWithoutAMethodIsSentWordByWord(): void
    {
        $adapter = self::createStubForIntersectionOfInterfaces([Adapter::class, AnyCommand::class]);
        $adapter->method('any')->willReturnCallback(static fn (object $target, array $words, ?int $first = null): array => [$words, $first]);
        $commands = $this->workload(
            [
                ['name' => 'EVAL', 'arguments' => [['literal' => 'return 1'], ['literal' => 2], 'key', 'key', 'value']],
                ['name' => 'SELECT', 'arguments' => [['literal' => '0']]],
            ],
            [[0, 1], [1]],
            [0, 1],
            ['key:1', 'key:2'],
            adapter: $adapter,
        );

        self::assertSame([['EVAL', 'return 1', '2', 'key:1', 'key:2', 'longer'], 3], $commands->send($this, 0));
        self::assertSame([['SELECT', '0'], null], $commands->send($this, 1));
    }

    /**
     * @param list<array<string, mixed>>  $kinds
     * @param list<list<int>>             $steps
     * @param list<int>                   $rows
     * @param list<string>                $keys
     * @param array<string, \Closure>     $makers
     * @param null|(Adapter<object>&Stub) $adapter
     */
    private function workload(
        array $kinds,
        array $steps,
        array $rows,
        array $keys,
        array $makers = [],
        int $depth = 1,
        (Adapter&Stub)|null $adapter = null,
    ): Workload {
        $adapter ??= self::createStub(Adapter::class);
        $adapter->method('commands')->willReturn($makers);
        $header = ['commands' => count($rows), 'key_bytes' => 5, 'values' => [5, 6], 'kinds' => $kinds, 'steps' => $steps];
        $path = (string) tempnam(sys_get_temp_dir(), 'workload');
        file_put_contents($path, json_encode($header)."\n".pack('v*', ...$rows).implode('', $keys).'shortlonger');

        try {
            return new Workload($path, $adapter, $depth);
        } finally {
            unlink($path);
        }
    }
}

/** Notes what is called. */
final class RecordingClient
{
    /** @var list<list<mixed>> */
    public array $calls = [];

    /** @param list<mixed> $words */
    public function __call(string $method, array $words): void
    {
        $this->calls[] = [$method, ...$words];
    }
}
