<?php

declare(strict_types=1);

namespace Respmark\Main;

use Respmark\Recorder\Cpu;
use Respmark\Scenarios\Counted;
use Respmark\Scenarios\Tally;
use Respmark\Scenarios\Window;

/** What a window gave. */
final readonly class Measured
{
    /** @param array<string, int> $health */
    public function __construct(
        public Window $window,
        public Tally $tally,
        public Counted $failures,
        public Cpu $cpu,
        public array $health,
    ) {}
}
