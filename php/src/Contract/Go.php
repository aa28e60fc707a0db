<?php

declare(strict_types=1);

namespace Respmark\Contract;

use Respmark\Errors\NoGo;

/** The line after `ready`; anything but `go` ends the trial. */
final class Go
{
    public static function check(?string $line): void
    {
        if (null === $line) {
            throw new NoGo('standard input ended before {"event":"go"}: nothing was measured');
        }
        if (['event' => 'go'] !== json_decode($line, true)) {
            throw new NoGo('after ready, standard input must have the line {"event":"go"}: nothing was measured');
        }
    }
}
