<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Errors\InvalidTrial;

/** The commands of a workload file, and what their replies must be made of. */
final readonly class Workload
{
    private int $mask;

    public function __construct(
        public Header $header,
        private string $kinds,
        private string $keys,
        private string $sizes,
        private string $block,
    ) {
        $this->mask = (1 << $header->valueModulusBits) - 1;
    }

    /** The four bytes at an offset, as the file has them: little-endian. */
    public static function uint32(string $bytes, int $offset): int
    {
        return ord($bytes[$offset]) | ord($bytes[$offset + 1]) << 8 | ord($bytes[$offset + 2]) << 16
            | ord($bytes[$offset + 3]) << 24;
    }

    public function kind(int $index): Kind
    {
        $number = ord($this->kinds[$index]);

        return $this->header->mix[$number]
            ?? throw new InvalidTrial("its command {$index} is of kind {$number}, which its mix does not have");
    }

    public function keyNumber(int $index): int
    {
        return self::uint32($this->keys, 4 * $index);
    }

    /** The key with this number, as it is sent. */
    public function key(int $number): string
    {
        return $this->header->keyPrefix.str_pad((string) $number, $this->header->keyDigits, '0', STR_PAD_LEFT);
    }

    /** The first `size` bytes of the value of key number `key`. */
    public function value(int $key, int $size): string
    {
        $start = ($key * $this->header->valueMultiplier) & $this->mask;
        if ($start + $size > strlen($this->block)) {
            throw new InvalidTrial("its block is too short for a value of {$size} bytes of key {$key}");
        }

        return substr($this->block, $start, $size);
    }

    /** @return list<string> the command's arguments: all its words but the name */
    public function arguments(int $index): array
    {
        $words = [];
        foreach ($this->kind($index)->arguments as $argument) {
            $words[] = match ($argument->kind) {
                Argument::KEY => $this->key($this->keyNumber($index)),
                Argument::VALUE => $this->valueOf($index),
                default => $argument->text,
            };
        }

        return $words;
    }

    /** The value that the command itself sends. */
    public function valueOf(int $index): string
    {
        return $this->value($this->keyNumber($index), self::uint32($this->sizes, 4 * $index));
    }

    /** The command as people write it, without its value. */
    public function shown(int $index): string
    {
        $words = [$this->kind($index)->name];
        foreach ($this->kind($index)->arguments as $argument) {
            $words[] = match ($argument->kind) {
                Argument::KEY => $this->key($this->keyNumber($index)),
                Argument::VALUE => '…',
                default => $argument->text,
            };
        }

        return "command {$index} of the workload, ".implode(' ', $words);
    }
}
