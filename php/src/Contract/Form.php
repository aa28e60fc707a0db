<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** How a transaction's commands travel: one round trip each, or the whole block at once. */
enum Form: string
{
    case Queued = 'queued';
    case Batched = 'batched';
}
