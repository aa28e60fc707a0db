<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

use Respmark\Contract\SliceOrder;
use Respmark\Contract\Trial;
use Respmark\Recorder\Health;
use Respmark\Recorder\Moment;
use Respmark\Recorder\Samples;
use Respmark\Workload\Walker;

/** Works for slices: lead-in, measured part, and the `slice` event. */
final class Slices
{
    /** Counts from the first slice whose samples are kept; null before it. */
    public ?Health $health = null;

    /** @param \Closure(string): string $redacted */
    public function __construct(
        private readonly Trial $trial,
        private readonly Walker $walker,
        private readonly Layout $layout,
        private readonly Loop $loop,
        private readonly Failures $failures,
        private readonly Samples $samples,
        private readonly \Closure $redacted,
    ) {}

    /** @return array<string, mixed> */
    public function work(SliceOrder $order): array
    {
        $first = $this->walker->first($order->firstCommand);
        $this->loop->goTo($first);
        $this->failures->beginSlice();
        $this->health ??= $order->keepSamples ? Health::start() : null;
        $started = Moment::opening();
        $leadIn = $order->leadInNs > 0 ? $this->loop->run($started->atNs + $order->leadInNs, keep: false) : 0;
        $measuredFrom = Moment::opening();
        $measured = $this->loop->run($measuredFrom->atNs + $order->durationNs, $order->keepSamples);
        $ended = Moment::closing();
        $this->samples->makeRoom();

        return [
            'event' => 'slice',
            'trial_id' => $this->trial->id,
            'slice' => $order->slice,
            'started' => $started->toJson(),
            'measured_from' => $measuredFrom->toJson(),
            'ended' => $ended->toJson(),
            'lead_in' => $this->done($leadIn),
            'measured' => $this->done($measured),
            'segments' => [['first_command' => $first, 'operations' => ($leadIn + $measured) * $this->layout->commandsPerUnit]],
            'errors' => (object) $this->failures->counts,
            'first_error' => null === $this->failures->first ? null : ($this->redacted)($this->failures->first),
            'local_cache' => null,
        ];
    }

    /** @return array<string, int> */
    private function done(int $units): array
    {
        return ['operations' => $units * $this->layout->commandsPerUnit, 'units' => $units];
    }
}
