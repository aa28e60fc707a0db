<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Contract\Fields;

/** One word of a command. */
final readonly class Argument
{
    public const KEY = 'key';
    public const VALUE = 'value';
    public const LITERAL = 'literal';

    public function __construct(
        public string $kind,
        public string $text = '',
    ) {}

    public static function parse(mixed $value): self
    {
        $fields = Fields::of($value, 'workload header.mix.arguments', ['kind', 'text']);
        $kind = $fields->oneOf('kind', [self::KEY, self::VALUE, self::LITERAL]);

        return new self($kind, self::LITERAL === $kind ? $fields->text('text') : '');
    }
}
