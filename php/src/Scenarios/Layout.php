<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

use Respmark\Contract\Scenario;
use Respmark\Contract\Shape;

/** A scenario's layout: how many commands a unit holds, and what one latency sample covers. */
final readonly class Layout
{
    private function __construct(
        public int $commandsPerUnit,
        public string $sampleCovers,
    ) {}

    public static function of(Shape $shape): self
    {
        return match ($shape->scenario) {
            Scenario::Batching => new self($shape->depth, 'batch'),
            Scenario::Transaction => new self($shape->depth, 'transaction'),
            Scenario::NewConnection => new self(1, 'connection'),
            default => new self(1, 'command'),
        };
    }

    /**
     * A unit of one command returns its reply, a unit of several a list of replies.
     *
     * @return list<mixed>
     */
    public function replies(mixed $outcome): array
    {
        $isSingle = 'command' === $this->sampleCovers || 'connection' === $this->sampleCovers;

        return $isSingle || !is_array($outcome) ? [$outcome] : array_values($outcome);
    }
}
