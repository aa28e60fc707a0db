<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** PHP's cycle collector since a moment. */
final readonly class Health
{
    private function __construct(private int $runs) {}

    public static function start(): self
    {
        return new self(gc_status()['runs']);
    }

    /** @return array<string, int> */
    public function stop(): array
    {
        return ['gc_collections' => gc_status()['runs'] - $this->runs];
    }
}
