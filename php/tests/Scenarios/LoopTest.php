<?php

declare(strict_types=1);

namespace Respmark\Tests\Scenarios;

use PHPUnit\Framework\TestCase;
use Respmark\Scenarios\Counted;
use Respmark\Scenarios\Loop;
use Respmark\Scenarios\Lost;
use Respmark\Scenarios\Strict;
use Respmark\Scenarios\Tally;
use Respmark\Scenarios\Window;
use Respmark\Workload\Walk;

/** @internal */
final class LoopTest extends TestCase
{
    /** @var list<int> where the units began */
    private array $performed = [];

    /** Each unit that succeeds is counted once and has one sample; the walk goes on from unit to unit and goes round. */
    public function testEveryUnitIsOneSample(): void
    {
        $tally = $this->walk(new FakeSession($this->note(...)), new Walk(7, 3, 10));
        self::assertGreaterThan(3, $tally->units);
        self::assertCount($tally->units, $this->performed);
        self::assertSame([7, 0, 3, 6, 9], array_slice($this->performed, 0, 5));
        self::assertSame($tally->units, array_sum(array_column($tally->histogram()->pairs(), 1)));
    }

    /** A window that outgrows the storage loses no sample. */
    public function testASmallStorageLosesNothing(): void
    {
        $tally = $this->walk(new FakeSession($this->note(...)), new Walk(0, 1, 10), capacity: 3);
        self::assertGreaterThan(3, $tally->units);
        self::assertCount($tally->units, $this->performed);
        self::assertSame($tally->units, array_sum(array_column($tally->histogram()->pairs(), 1)));
    }

    /** A unit that fails adds to the errors, by its kind, and to nothing else; the walk goes on after it. */
    public function testAUnitThatFailsCountsAsAnErrorOnly(): void
    {
        $session = new FakeSession(function (int $at): void {
            $this->note($at);
            if (2 === count($this->performed)) {
                throw new \DomainException('no reply');
            }
        });
        $failures = new Counted($session, $this->clock());
        $tally = $this->walk($session, new Walk(0, 1, 10), $failures);
        self::assertSame(['LibraryError' => 1], $failures->counts);
        self::assertSame('LibraryError: no reply', $failures->first);
        self::assertCount($tally->units + 1, $this->performed);
        self::assertSame([0, 1, 2], array_slice($this->performed, 0, 3));
        self::assertCount(1, $session->settled);
        self::assertFalse($failures->isFailing($tally->units));
    }

    /** The 25th failed unit in a row ends the walk. */
    public function testTheTargetIsLostAfter25FailuresInARow(): void
    {
        $session = new FakeSession(function (int $at): void {
            $this->note($at);

            throw new \DomainException('gone');
        });

        try {
            $this->walk($session, new Walk(0, 1, 10), seconds: 30.0);
            self::fail('the loop went on');
        } catch (Lost $lost) {
            self::assertCount(Counted::LOST_AFTER, $this->performed);
            self::assertSame('gone', $lost->getPrevious()?->getMessage());
        }
    }

    /** Failures with successes between them do not lose the target. */
    public function testASuccessInBetweenIsPatienceRenewed(): void
    {
        $session = new FakeSession(function (int $at): void {
            $this->note($at);
            if (0 !== count($this->performed) % 20) {
                throw new \DomainException('again');
            }
        });
        $failures = new Counted($session, $this->clock());
        $tally = $this->walk($session, new Walk(0, 1, 10), $failures);
        self::assertGreaterThan(2, $tally->units);
        self::assertGreaterThan(Counted::LOST_AFTER, $failures->counts['LibraryError']);
    }

    /** Five seconds without a success after a failure lose the target, however few failures that is. */
    public function testFailingForLongLosesTheTarget(): void
    {
        $now = 0;
        $failures = new Counted(new FakeSession($this->note(...)), static function () use (&$now): int {
            return $now;
        });
        $failures->accept(new \DomainException('a'), 5);
        $now = Counted::PATIENCE_NS - 1;
        $failures->accept(new \DomainException('b'), 5);
        $now = 3 * Counted::PATIENCE_NS;
        $failures->accept(new \DomainException('c'), 6);
        self::assertSame(['LibraryError' => 3], $failures->counts);
        $now = 4 * Counted::PATIENCE_NS;
        $this->expectException(Lost::class);
        $failures->accept(new \DomainException('d'), 6);
    }

    /** So does connecting again that takes so long. */
    public function testConnectingForLongLosesTheTarget(): void
    {
        $session = new FakeSession($this->note(...));
        $failures = new Counted($session, static fn (): int => [] === $session->settled ? 0 : Counted::PATIENCE_NS);
        $this->expectException(Lost::class);
        $failures->accept(new \DomainException('a'), 1);
    }

    /** What is not the library's own is not counted away. */
    public function testWhatTheLibraryDoesNotThrowIsAFault(): void
    {
        $session = new FakeSession(static fn (): never => throw new \LogicException('ours'));
        $this->expectExceptionMessage('ours');
        $this->walk($session, new Walk(0, 1, 10));
    }

    /** Before the window every failure is final. */
    public function testBeforeTheWindowEveryFailureIsFinal(): void
    {
        $session = new FakeSession(static fn (): never => throw new \DomainException('refused'));
        $this->expectException(\DomainException::class);
        (new Loop($session, new Walk(0, 1, 10)))->run(new Window(5.0), new Strict(), $this->clock());
    }

    /** The first error's message has at most 500 characters. */
    public function testLongMessagesAreShortened(): void
    {
        $failures = new Counted(new FakeSession($this->note(...)), static fn (): int => 0);
        $failures->accept(new \DomainException(str_repeat('x', 900)), 1);
        self::assertSame(500, iconv_strlen((string) $failures->first, 'UTF-8'));
    }

    private function note(int $at): void
    {
        $this->performed[] = $at;
        usleep(200);
    }

    /** @return \Closure(): int */
    private function clock(): \Closure
    {
        return static fn (): int => (int) hrtime(true);
    }

    private function walk(FakeSession $session, Walk $walk, ?Counted $failures = null, int $capacity = 1 << 10, float $seconds = 0.03): Tally
    {
        $failures ??= new Counted($session, $this->clock());

        return (new Loop($session, $walk, $capacity))->run(new Window($seconds), $failures, $this->clock());
    }
}
