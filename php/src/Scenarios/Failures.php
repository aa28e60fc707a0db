<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

use Respmark\Clients\Session;
use Respmark\Contract\Limits;
use Respmark\Contract\Text;

/** Failed units: how many there are of each kind, and when the target is lost. */
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

    /** Starts new counts. Failures in a row continue from the slice before; the wait between slices does not count. */
    public function beginSlice(): void
    {
        [$this->counts, $this->first] = [[], null];
        $this->failingSince += ($this->clock)() - $this->lastLook;
    }

    /**
     * Returns if the loop may continue; throws if it must not.
     *
     * @param int $units all that succeeded in this trial
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
        // Connecting again may have taken as long as a unit.
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
