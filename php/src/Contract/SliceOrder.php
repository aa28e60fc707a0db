<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** One turn of this trial: how long, from which command on, and whether its latencies go into the result. */
final readonly class SliceOrder
{
    public function __construct(
        public int $slice,
        public int $durationNs,
        public int $leadInNs,
        public int $firstCommand,
        public bool $keepSamples,
    ) {}

    public static function of(Fields $order): self
    {
        return new self(
            $order->integer('slice', 1),
            $order->integer('duration_ns', 1),
            $order->integer('lead_in_ns', 0, default: 0),
            $order->integer('first_command', 0),
            $order->flag('keep_samples'),
        );
    }
}
