<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

use Respmark\Recorder\Samples;
use Respmark\Workload\Walk;

/** Performs units until the window is over; written once, for every scenario and library. */
final readonly class Loop
{
    public function __construct(
        private Unit $unit,
        private Walk $walk,
        private ?int $capacity = null,
    ) {}

    /**
     * One unit after the other. One look at the clock ends a unit and starts the next.
     *
     * This is the measured loop: whatever stands in the inner one, the client is charged for.
     *
     * @param \Closure(): int $open opens the window once everything is at hand, and says when
     */
    public function run(Window $window, Failures $failures, \Closure $open): Tally
    {
        [$unit, $at, $step, $length] = [$this->unit, $this->walk->first, $this->walk->step, $this->walk->length];
        $capacity = $this->capacity ?? Samples::capacity($window->seconds);
        [$tally, $samples, $count] = [new Tally(), Samples::storage($capacity), 0];
        $start = $open();
        $window->open($start);
        do {
            $checkpoint = $window->checkpoint;

            try {
                do {
                    $unit->perform($at);

                    $end = \hrtime(true);
                    $samples[$count] = $end - $start;
                    $start = $end;
                    $at = ($at + $step) % $length;
                } while (++$count < $capacity && $end < $checkpoint);
            } catch (\Throwable $error) {
                // Whether it is the library's doing, the session knows; what is not ends the trial.
                $failures->accept($error, $tally->units + $count);
                $at = ($at + $step) % $length;

                $start = \hrtime(true);
            }
            if ($count === $capacity) {
                $tally->fold($samples, $count);
                $count = 0;

                // Folding is no latency.
                $start = \hrtime(true);
            }
        } while ($start < $window->checkpoint || !$window->reached($start, $tally->units + $count));
        $tally->keep($samples, $count);

        return $tally;
    }
}
