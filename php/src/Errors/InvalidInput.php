<?php

declare(strict_types=1);

namespace Respmark\Errors;

/** The trial or an order cannot be understood, is not due, or asks for something that does not exist. */
final class InvalidInput extends RunnerError
{
    public function exitCode(): int
    {
        return ExitCode::INVALID_INPUT;
    }
}
