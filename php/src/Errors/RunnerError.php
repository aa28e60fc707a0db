<?php

declare(strict_types=1);

namespace Respmark\Errors;

/** Base of all errors: one sentence that says what failed, where, and what to do. */
class RunnerError extends \RuntimeException
{
    /** The exit code that the contract gives this error. */
    public function exitCode(): int
    {
        return ExitCode::OTHER;
    }
}
