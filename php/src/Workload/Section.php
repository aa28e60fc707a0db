<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Contract\Fields;

/** Where a column is in the file, in bytes. */
final readonly class Section
{
    public function __construct(
        public int $offset,
        public int $length,
    ) {}

    public static function parse(Fields $header, string $name): self
    {
        $fields = Fields::of($header->required($name), $header->at($name), ['offset', 'length']);

        return new self($fields->integer('offset', 0), $fields->integer('length', 0));
    }
}
