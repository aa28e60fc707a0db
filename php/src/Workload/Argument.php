<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Contract\Fields;

/** One argument of a kind of command; `offset`, added to the command's key, gives this key, or this value's key. */
final readonly class Argument
{
    public const KEY = 'key';
    public const VALUE = 'value';
    public const LITERAL = 'literal';

    public function __construct(
        public string $kind,
        public string $text = '',
        public int $offset = 0,
    ) {}

    public static function parse(mixed $value): self
    {
        $fields = Fields::of($value, 'workload header.mix.arguments', ['kind', 'text', 'offset']);
        $kind = $fields->oneOf('kind', [self::KEY, self::VALUE, self::LITERAL]);

        return self::LITERAL === $kind
            ? new self($kind, $fields->text('text'))
            : new self($kind, '', $fields->integer('offset', 0, default: 0));
    }
}
