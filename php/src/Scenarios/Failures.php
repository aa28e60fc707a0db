<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

/** Decides what a failed unit means. */
interface Failures
{
    /** Returns when the loop may go on; throws when it must not. */
    public function accept(\Throwable $error, int $units): void;
}
