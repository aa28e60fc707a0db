<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

/** Before the window every failure ends the trial. */
final class Strict implements Failures
{
    public function accept(\Throwable $error, int $units): void
    {
        throw $error;
    }
}
