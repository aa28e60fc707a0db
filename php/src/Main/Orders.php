<?php

declare(strict_types=1);

namespace Respmark\Main;

use Respmark\Contract\Order;
use Respmark\Contract\SliceOrder;
use Respmark\Errors\RunnerError;

/** The orders of the harness, each in its turn. */
final class Orders
{
    private int $number = 0;

    public function __construct(private readonly Channel $channel) {}

    public function awaitConnect(): void
    {
        $this->next(Order::CONNECT);
    }

    /** The slice to work for now, or null when the trial is to be finished. */
    public function slice(): ?SliceOrder
    {
        return $this->next(Order::SLICE, Order::FINISH)->slice;
    }

    public function awaitEnd(): void
    {
        $line = $this->channel->line();
        if (null !== $line) {
            Order::parse($line, $this->number + 1, 'the end of standard input');
        }
    }

    private function next(string ...$due): Order
    {
        ++$this->number;
        $line = $this->channel->line();
        if (null === $line) {
            throw new RunnerError('standard input ended before the result: the order '.implode(' or ', $due).' was due');
        }

        return Order::parse($line, $this->number, ...$due);
    }
}
