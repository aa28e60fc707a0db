<?php

declare(strict_types=1);

namespace Respmark\Main;

use Respmark\Contract\Order;
use Respmark\Contract\SliceOrder;
use Respmark\Errors\InvalidInput;
use Respmark\Errors\RunnerError;

/** Standard input and output: one JSON object per line; an order that is not due is refused. */
final readonly class Channel
{
    /**
     * @param resource $input
     * @param resource $output
     */
    public function __construct(
        private mixed $input,
        private mixed $output,
    ) {}

    /** The line that holds the trial. */
    public function trial(): string
    {
        return $this->line() ?? throw new InvalidInput(
            'standard input is empty: it must start with one trial as JSON on one line',
        );
    }

    public function awaitConnect(): void
    {
        $this->order(Order::CONNECT);
    }

    /** Waits for `slice` and returns it; null: `finish` came instead. */
    public function slice(): ?SliceOrder
    {
        return $this->order(Order::SLICE, Order::FINISH)->slice;
    }

    public function awaitEnd(): void
    {
        $line = $this->line();
        if (null !== $line) {
            Order::parse($line, 'the end of standard input');
        }
    }

    /** @param array<string, mixed> $message */
    public function print(array $message): void
    {
        $json = json_encode(
            $message,
            JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR,
        );
        fwrite($this->output, "{$json}\n");
        fflush($this->output);
    }

    private function order(string ...$due): Order
    {
        $line = $this->line();
        if (null === $line) {
            throw new RunnerError('standard input ended before the result; due: '.implode(' or ', $due));
        }

        return Order::parse($line, ...$due);
    }

    /** The next line, or null when standard input has ended. */
    private function line(): ?string
    {
        $line = fgets($this->input);

        return false === $line ? null : rtrim($line, "\r\n");
    }
}
