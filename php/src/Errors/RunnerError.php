<?php

declare(strict_types=1);

namespace Respmark\Errors;

/** A failure that one sentence explains: what was wrong, where, and what to do. */
class RunnerError extends \RuntimeException
{
    /** What the process exits with. */
    public function exitCode(): int
    {
        return ExitCode::OTHER;
    }
}
