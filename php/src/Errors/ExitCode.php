<?php

declare(strict_types=1);

namespace Respmark\Errors;

/** Exit codes of the contract. */
final class ExitCode
{
    public const DONE = 0;
    public const OTHER = 1;
    public const INVALID_INPUT = 2;
    public const UNSUPPORTED = 3;
    public const TARGET = 4;
}
