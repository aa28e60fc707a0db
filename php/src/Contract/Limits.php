<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** When a runner gives up: the contract's limits, the same in every language. PHP's libraries have no pool. */
final class Limits
{
    /** The target is lost after this many failed units in a row. */
    public const FAILURES_IN_A_ROW = 25;

    /** It is also lost after this long without a successful unit: timeouts can make 25 failures last minutes. */
    public const SILENCE_NS = 10_000_000_000;
}
