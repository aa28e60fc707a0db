<?php

declare(strict_types=1);

namespace Respmark\Tests\Verification;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Respmark\Contract\Scenario;
use Respmark\Contract\Shape;
use Respmark\Errors\WrongReply;
use Respmark\Scenarios\Layout;
use Respmark\Tests\Scenarios\FakeSession;
use Respmark\Tests\Support\Paths;
use Respmark\Verification\Verifier;
use Respmark\Workload\Workload;
use Respmark\Workload\WorkloadFile;

/** @internal */
final class VerifierTest extends TestCase
{
    private Workload $workload;

    protected function setUp(): void
    {
        $this->workload = WorkloadFile::read(Paths::WORKLOAD);
    }

    /** Every command's right reply passes, also beyond the workload's end; units are performed whole. */
    public function testRightRepliesPass(): void
    {
        $length = $this->workload->header->commands;
        self::assertSame(350, $this->verifier($this->right(...), 7)->verify($length - 100, 345));
        self::assertSame(0, $this->verifier($this->right(...), 7)->verify(0, 0));
    }

    /** A wrong reply ends the trial with exit code 1 and names its command. */
    #[DataProvider('provideWrongRepliesAreFoundCases')]
    public function testWrongRepliesAreFound(string $name, mixed $reply, string $problem): void
    {
        $at = $this->find($name);

        try {
            $this->verifier(static fn (): mixed => $reply)->verify($at, 1);
            self::fail('the reply was accepted');
        } catch (WrongReply $error) {
            self::assertSame(1, $error->exitCode());
            self::assertStringStartsWith("the reply to {$this->workload->shown($at)} ", $error->getMessage());
            self::assertStringContainsString($problem, $error->getMessage());
        }
    }

    /** @return iterable<string, array{string, mixed, string}> */
    public static function provideWrongRepliesAreFoundCases(): iterable
    {
        yield 'another value' => ['GET', 'zzzzzzzz', 'is not the value of its key: "zzzzzzzz"'];

        yield 'too short' => ['GET', 'a', 'has 1 bytes, which is no size of this workload'];

        yield 'nothing' => ['GET', null, 'must be a value, but the key does not exist: preload the target'];

        yield 'not OK' => ['SET', 'no', 'must be OK, not "no"'];

        yield 'no PONG' => ['PING', false, 'must be PONG, not false'];

        yield 'a value that is not there' => ['missing', 'abcd', 'must be null, not "abcd"'];
    }

    /** A wrong reply to any other command is found as well. */
    #[DataProvider('provideWrongRepliesOfOtherCommandsAreFoundCases')]
    public function testWrongRepliesOfOtherCommandsAreFound(string $name, mixed $reply, string $problem): void
    {
        $this->workload = WorkloadFile::read(Paths::GOLDEN.'/commands.workload');
        $this->expectException(WrongReply::class);
        $this->expectExceptionMessage($problem);
        $this->verifier(static fn (): mixed => $reply)->verify($this->find($name), 1);
    }

    /** @return iterable<array{string, mixed, string}> */
    public static function provideWrongRepliesOfOtherCommandsAreFoundCases(): iterable
    {
        yield ['MGET', ['abcd'], 'must be 2 values'];

        yield ['MGET', ['abcd', 'abcd'], 'is not the value of its key'];

        yield ['MSET', null, 'must be OK'];

        yield ['LTRIM', 1, 'must be OK'];

        yield ['INCRBY', 0, 'must be a number above 0'];

        yield ['LPUSH', true, 'must be a number above 0'];

        yield ['SADD', 1, 'must be 0'];

        yield ['ZADD', false, 'must be 0'];

        yield ['EXPIRE', 0, 'must be 1'];

        yield ['LRANGE', ['abcd', 'abcd', 'abcd'], 'must be 4 values'];

        yield ['HGETALL', ['a' => 'abcd'], 'must be 4 values'];

        yield ['HGETALL', null, 'must be fields with values'];
    }

    /** As many replies must come as commands were sent. */
    public function testLostRepliesAreFound(): void
    {
        $this->expectException(WrongReply::class);
        $this->expectExceptionMessage('7 commands were sent, 6 replies came');
        $this->verifier(fn (int $at): array => array_slice($this->right($at), 1), 7)->verify(0, 1);
    }

    /** A command that the server rejects is a wrong reply; a server that refuses us as a whole is something else. */
    public function testAFailedUnitIsAWrongReplyOrARefusal(): void
    {
        try {
            $this->verifier(static fn (): never => throw new \DomainException('ERR wrong type'))->verify(0, 1);
            self::fail('the reply was accepted');
        } catch (WrongReply $error) {
            self::assertStringContainsString('failed in verification (ERR wrong type)', $error->getMessage());
        }
        $this->expectException(\DomainException::class);
        $this->verifier(static fn (): never => throw new \DomainException('NOPERM no'))->verify(0, 1);
    }

    /** @param \Closure(int): mixed $perform */
    private function verifier(\Closure $perform, int $depth = 1): Verifier
    {
        $shape = 1 === $depth ? new Shape(Scenario::Sync) : new Shape(Scenario::Batching, $depth);

        return new Verifier($this->workload, new FakeSession($perform), Layout::of($shape));
    }

    /** @return list<mixed> */
    private function right(int $first): array
    {
        $replies = [];
        for ($offset = 0; $offset < 7; ++$offset) {
            $at = ($first + $offset) % $this->workload->header->commands;
            $key = $this->workload->keyNumber($at);
            $replies[] = match ($this->workload->kind($at)->name) {
                'GET' => $key < $this->workload->header->preloadKeys ? $this->workload->value($key, 20) : null,
                'SET' => 'fine',
                'PING' => 'PONG',
                default => 'anything',
            };
        }

        return $replies;
    }

    /** The first command of this name whose key exists; or the first GET of a key that does not. */
    private function find(string $name): int
    {
        for ($at = 0; $at < $this->workload->header->commands; ++$at) {
            $isMissing = $this->workload->keyNumber($at) >= $this->workload->header->preloadKeys;
            $found = $this->workload->kind($at)->name;
            if ('missing' === $name ? 'GET' === $found && $isMissing : $found === $name && (!$isMissing || 'GET' !== $found)) {
                return $at;
            }
        }
        self::fail("the workload has no {$name}");
    }
}
