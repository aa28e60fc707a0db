<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** A scenario with the numbers and forms that this runner uses; the others are checked and not kept. */
final readonly class Shape
{
    public function __construct(
        public Scenario $scenario,
        public int $depth = 1,
        public ?Form $form = null,
    ) {}
}
