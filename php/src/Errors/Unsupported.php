<?php

declare(strict_types=1);

namespace Respmark\Errors;

/** The trial is valid, but this client cannot express it. */
final class Unsupported extends RunnerError
{
    public function exitCode(): int
    {
        return ExitCode::UNSUPPORTED;
    }
}
