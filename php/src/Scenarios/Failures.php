<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

use Respmark\Clients\Session;
use Respmark\Contract\Text;

/** In the window failures are counted by kind, until there are too many in a row or for too long. */
final class Counted implements Failures
{
    /** After so many failed units in a row the target is lost. */
    public const LOST_AFTER = 25;

    /** So it is after so long without a unit that succeeds: timeouts can make 25 failures last minutes. */
    public const PATIENCE_NS = 5_000_000_000;
    private const LONGEST_MESSAGE = 500;

    /** @var array<string, int> */
    public array $counts = [];
    public ?string $first = null;
    private int $inARow = 0;
    private int $unitsAtFailure = -1;
    private int $failingSince = 0;

    /** @param \Closure(): int $clock */
    public function __construct(
        private readonly Session $session,
        private readonly \Closure $clock,
    ) {}

    /** Whether nothing has succeeded since the last failure. */
    public function isFailing(int $units): bool
    {
        return $units === $this->unitsAtFailure;
    }

    public function accept(\Throwable $error, int $units): void
    {
        $kind = $this->session->kind($error) ?? throw $error;
        $this->counts[$kind] = ($this->counts[$kind] ?? 0) + 1;
        $this->first ??= Text::shortened("{$kind}: {$error->getMessage()}", self::LONGEST_MESSAGE - 1);
        if (!$this->isFailing($units)) {
            [$this->unitsAtFailure, $this->inARow, $this->failingSince] = [$units, 0, ($this->clock)()];
        }
        ++$this->inARow;
        $this->checkPatience($error);
        $this->session->settle($error);
        // To connect again may have taken as long as a unit.
        $this->checkPatience($error);
    }

    private function checkPatience(\Throwable $error): void
    {
        if ($this->inARow >= self::LOST_AFTER || ($this->clock)() - $this->failingSince >= self::PATIENCE_NS) {
            throw new Lost(1 === $this->inARow ? 'nothing succeeded any more' : "{$this->inARow} units in a row failed", 0, $error);
        }
    }
}
