<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Contract\Fields;

/** One kind of command; a column of the file holds its index in the mix. */
final readonly class Kind
{
    /** @param list<Argument> $arguments */
    public function __construct(
        public string $name,
        public array $arguments,
    ) {}

    public static function parse(mixed $value): self
    {
        $fields = Fields::of($value, 'workload header.mix', ['name', 'arguments']);

        return new self($fields->text('name'), array_map(Argument::parse(...), $fields->items('arguments')));
    }

    /** Whether it has this name, and arguments of these kinds in this order. */
    public function is(string $name, string ...$kinds): bool
    {
        return strtoupper($this->name) === $name && array_column($this->arguments, 'kind') === $kinds;
    }
}
