<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** When a runner gives up: the contract's limits, the same in every language. PHP's libraries have no pool to wait for. */
final class Limits
{
    /** After so many failed units in a row the target is lost. */
    public const FAILURES_IN_A_ROW = 25;

    /** So it is after so long without a unit that succeeds: timeouts can make 25 failures last minutes. */
    public const SILENCE_NS = 10_000_000_000;
}
