<?php

declare(strict_types=1);

namespace Respmark\Contract;

use Respmark\Errors\InvalidInput;

/** One order from the harness. */
final readonly class Order
{
    public const CONNECT = 'connect';
    public const SLICE = 'slice';
    public const FINISH = 'finish';
    private const FIELDS = [
        self::CONNECT => [],
        self::SLICE => ['slice', 'duration_ns', 'lead_in_ns', 'first_command', 'keep_samples'],
        self::FINISH => [],
    ];

    private function __construct(
        public string $name,
        public ?SliceOrder $slice,
    ) {}

    /** Reads an order; messages about an invalid one also say what is due. */
    public static function parse(string $line, string ...$due): self
    {
        $all = implode(' or ', $due);

        try {
            $order = self::read($line);
        } catch (InvalidInput $error) {
            throw new InvalidInput("{$error->getMessage()}; due: {$all}");
        }
        if (!in_array($order->name, $due, true)) {
            throw new InvalidInput("the order {$order->name} is not due; due: {$all}");
        }

        return $order;
    }

    private static function read(string $line): self
    {
        $value = Fields::decoded($line, 'order');
        $name = Fields::open($value, 'order')->oneOf('order', array_keys(self::FIELDS));
        $fields = Fields::of($value, 'order', ['order', ...self::FIELDS[$name]]);

        return new self($name, self::SLICE === $name ? SliceOrder::of($fields) : null);
    }
}
