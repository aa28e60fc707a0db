<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

use Respmark\Clients\Unit;
use Respmark\Recorder\Samples;

/** Performs units one after the other for a given time; written once, for every scenario and library. */
final class Loop
{
    /** Where the next unit begins. */
    private int $at = 0;

    /** All that succeeded in this trial. */
    private int $units = 0;

    /**
     * @param int $step   commands of a unit
     * @param int $length commands of the workload
     */
    public function __construct(
        private readonly Unit $unit,
        private readonly int $step,
        private readonly int $length,
        private readonly Failures $failures,
        private readonly Samples $samples,
    ) {}

    public function goTo(int $first): void
    {
        $this->at = $first;
    }

    /**
     * Performs units until the time `until`, at least one; returns how many succeeded.
     *
     * This is the measured loop: the client is charged for everything in the inner one. One clock reading ends a unit
     * and starts the next. Samples that are not kept are overwritten by the next ones.
     */
    public function run(float|int $until, bool $keep): int
    {
        [$unit, $at, $step, $length] = [$this->unit, $this->at, $this->step, $this->length];
        $storage = &$this->samples->storage;
        [$capacity, $count, $units] = [count($storage), $this->samples->count, $this->units];
        $counted = $count;
        $start = \hrtime(true);
        do {
            try {
                do {
                    $unit->perform($at);

                    $end = \hrtime(true);
                    $storage[$count] = $end - $start;
                    $start = $end;
                    $at = ($at + $step) % $length;
                } while (++$count < $capacity && $end < $until);
            } catch (\Throwable $error) {
                // The session knows whether the error came from the library; any other ends the trial.
                $this->failures->accept($error, $units + $count - $counted);
                $at = ($at + $step) % $length;

                $start = \hrtime(true);
            }
            if ($count === $capacity) {
                $units += $count - $counted;
                if ($keep) {
                    $this->samples->fold($count);
                }
                $count = $counted = $this->samples->count;

                // Folding is not latency.
                $start = \hrtime(true);
            }
        } while ($start < $until);
        $units += $count - $counted;
        if ($keep) {
            $this->samples->count = $count;
        }
        [$done, $this->units, $this->at] = [$units - $this->units, $units, $at];

        return $done;
    }
}
