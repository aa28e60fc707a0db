<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

use Respmark\Clients\Session;
use Respmark\Contract\Limits;
use Respmark\Contract\Text;

/** In a slice failures are counted by kind, until there are too many in a row or for too long. */
final class Failures
{
    private const LONGEST_MESSAGE = 500;

    /** @var array<string, int> */
    public array $counts = [];
    public ?string $first = null;
    private int $inARow = 0;
    private int $unitsAtFailure = -1;
    private float|int $failingSince = 0;
    private int $lastLook = 0;

    /** @param \Closure(): int $clock */
    public function __construct(
        private readonly Session $session,
        private readonly \Closure $clock,
    ) {}

    /** Counts anew for a slice. What fails in a row goes on failing, but waiting for the slice was no failure. */
    public function beginSlice(): void
    {
        [$this->counts, $this->first] = [[], null];
        $this->failingSince += ($this->clock)() - $this->lastLook;
    }

    /**
     * Returns when the loop may go on; throws when it must not.
     *
     * @param int $units all that have succeeded in this trial
     */
    public function accept(\Throwable $error, int $units): void
    {
        $kind = $this->session->kind($error) ?? throw $error;
        $this->counts[$kind] = ($this->counts[$kind] ?? 0) + 1;
        $this->first ??= Text::shortened("{$kind}: {$error->getMessage()}", self::LONGEST_MESSAGE - 1);
        if ($units !== $this->unitsAtFailure) {
            [$this->unitsAtFailure, $this->inARow, $this->failingSince] = [$units, 0, ($this->clock)()];
        }
        ++$this->inARow;
        $this->checkLimits($error);
        $this->session->settle($error);
        // To connect again may have taken as long as a unit.
        $this->checkLimits($error);
    }

    private function checkLimits(\Throwable $error): void
    {
        $this->lastLook = ($this->clock)();
        if ($this->inARow >= Limits::FAILURES_IN_A_ROW || $this->lastLook - $this->failingSince >= Limits::SILENCE_NS) {
            throw new Lost(1 === $this->inARow ? 'no unit succeeded for '.intdiv(Limits::SILENCE_NS, 1_000_000_000).' s' : "{$this->inARow} units in a row failed", 0, $error);
        }
    }
}
