<?php

declare(strict_types=1);

namespace Respmark\Tests\Scenarios;

use PHPUnit\Framework\TestCase;
use Respmark\Contract\Limits;
use Respmark\Scenarios\Failures;
use Respmark\Scenarios\Lost;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Paths;

/** @internal */
final class FailuresTest extends TestCase
{
    private int $now = 0;

    /** The limits are the contract's. */
    public function testTheLimitsAreTheSameInEveryLanguage(): void
    {
        $limits = Json::map(Paths::text('limits.json'));
        self::assertSame($limits['failures_in_a_row'], Limits::FAILURES_IN_A_ROW);
        self::assertSame($limits['silence_ms'], intdiv(Limits::SILENCE_NS, 1_000_000));
    }

    /** So many seconds without a success lose the target, however few failures that is. */
    public function testFailingForLongLosesTheTarget(): void
    {
        $failures = $this->failures();
        $failures->accept(new \DomainException('a'), 5);
        $this->now = Limits::SILENCE_NS - 1;
        $failures->accept(new \DomainException('b'), 5);
        $this->now = 3 * Limits::SILENCE_NS;
        $failures->accept(new \DomainException('c'), 6);
        self::assertSame(['LibraryError' => 3], $failures->counts);
        $this->now = 4 * Limits::SILENCE_NS;
        $this->expectException(Lost::class);
        $failures->accept(new \DomainException('d'), 6);
    }

    /** One unit that takes as long to fail does not: a library may wait for a reply that is not to come. */
    public function testOneLongFailureIsCounted(): void
    {
        $this->now = 2 * Limits::SILENCE_NS;
        $failures = $this->failures();
        $failures->accept(new \DomainException('a'), 5);
        self::assertSame(['LibraryError' => 1], $failures->counts);
    }

    /** So does connecting again that takes so long. */
    public function testConnectingForLongLosesTheTarget(): void
    {
        $session = new FakeSession(static fn (): null => null);
        $failures = new Failures($session, static fn (): int => [] === $session->settled ? 0 : Limits::SILENCE_NS);
        $this->expectException(Lost::class);
        $failures->accept(new \DomainException('a'), 1);
    }

    /** Waiting for a slice is no failure, but what failed before it goes on. */
    public function testWaitingIsNoFailure(): void
    {
        $failures = $this->failures();
        $failures->accept(new \DomainException('a'), 5);
        $this->now = 100 * Limits::SILENCE_NS;
        $failures->beginSlice();
        $failures->accept(new \DomainException('b'), 5);
        $this->now += Limits::SILENCE_NS - 1;
        $failures->accept(new \DomainException('c'), 5);
        ++$this->now;
        $this->expectExceptionMessage('4 units in a row failed');
        $failures->accept(new \DomainException('d'), 5);
    }

    /** Each slice tells its own errors. */
    public function testEachSliceCountsAnew(): void
    {
        $failures = $this->failures();
        $failures->accept(new \DomainException('a'), 5);
        $failures->accept(new \DomainException('b'), 6);
        self::assertSame([['LibraryError' => 2], 'LibraryError: a'], [$failures->counts, $failures->first]);
        $failures->beginSlice();
        self::assertSame([[], null], [$failures->counts, $failures->first]);
    }

    /** The first error's message has at most 500 characters. */
    public function testLongMessagesAreShortened(): void
    {
        $failures = $this->failures();
        $failures->accept(new \DomainException(str_repeat('x', 900)), 1);
        self::assertSame(500, iconv_strlen((string) $failures->first, 'UTF-8'));
    }

    private function failures(): Failures
    {
        return new Failures(new FakeSession(static fn (): null => null), fn (): int => $this->now);
    }
}
