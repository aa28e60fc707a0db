<?php

declare(strict_types=1);

namespace Respmark\Errors;

/** The target cannot be reached, refused the runner, or was lost. */
final class TargetFailure extends RunnerError
{
    public function exitCode(): int
    {
        return ExitCode::TARGET;
    }
}
