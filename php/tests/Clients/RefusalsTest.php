<?php

declare(strict_types=1);

namespace Respmark\Tests\Clients;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Respmark\Clients\Refusals;
use Respmark\Contract\Endpoint;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Paths;

/** @internal */
final class RefusalsTest extends TestCase
{
    /** What a server says when it refuses us as a whole is told as in every language. */
    #[DataProvider('provideRefusalsCases')]
    public function testRefusals(string $reply, string $meaning, string $advice): void
    {
        $sentence = (string) Refusals::ofReply($reply, self::target())?->getMessage();
        self::assertStringStartsWith("host:1 {$meaning} (", $sentence);
        self::assertStringEndsWith("): {$advice}", $sentence);
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function provideRefusalsCases(): iterable
    {
        foreach (self::refusals() as [$meaning, $advice, $replies]) {
            foreach ($replies as $reply) {
                yield $reply => [$reply, $meaning, $advice];
            }
        }
    }

    /** A wrong type says nothing about the target as a whole. */
    public function testAnErrorOfOneCommand(): void
    {
        self::assertNull(Refusals::ofReply('WRONGTYPE Operation against a key', self::target()));
    }

    /** One fault is said in the same words in every language. */
    public function testEverySentenceIsOneOfTheContracts(): void
    {
        $known = array_map(static fn (array $refusal): array => [$refusal[0], $refusal[1]], self::refusals());
        foreach (Refusals::sentences() as $sentence) {
            self::assertContains($sentence, $known);
        }
    }

    /** What was complained of and what was heard last stand in it. */
    public function testALostTarget(): void
    {
        $sentences = Json::part(Json::map(Paths::text('refusals.json'))['sentences']);
        $words = ['{address}' => 'host:1', '{complaint}' => 'silence', '{heard}' => 'gone'];
        self::assertSame(strtr(self::text($sentences['lost']), $words), Refusals::lost('silence', 'gone', self::target())->getMessage());
    }

    /** @return list<array{string, string, list<string>}> meaning, advice and replies */
    private static function refusals(): array
    {
        $refusals = [];
        foreach (Json::part(Json::map(Paths::text('refusals.json'))['refusals']) as $refusal) {
            $fields = Json::part($refusal);
            $replies = array_map(self::text(...), array_values(Json::part($fields['replies'])));
            $refusals[] = [self::text($fields['meaning']), self::text($fields['advice']), $replies];
        }

        return $refusals;
    }

    private static function text(mixed $value): string
    {
        return is_string($value) ? $value : throw new \LogicException('no text');
    }

    private static function target(): Endpoint
    {
        return new Endpoint('host', 1, null, 0, null, null, null);
    }
}
