<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Errors\InvalidInput;

/** The commands of a workload file, and what their replies must consist of. */
final readonly class Workload
{
    /** How many numbers of a column are taken from the file at once. */
    private const CHUNK = 4096;

    private int $mask;

    /** @param string $content the whole file */
    public function __construct(
        public Header $header,
        private string $content,
    ) {
        $this->mask = (1 << $header->valueModulusBits) - 1;
    }

    /** The number in the four bytes at an offset, little-endian as in the file. */
    public static function uint32(string $bytes, int $offset): int
    {
        return ord($bytes[$offset]) | ord($bytes[$offset + 1]) << 8 | ord($bytes[$offset + 2]) << 16
            | ord($bytes[$offset + 3]) << 24;
    }

    /** Every command's index into the mix, one byte per command. */
    public function kinds(): string
    {
        $kinds = substr($this->content, $this->header->kinds->offset, $this->header->commands);
        $highest = substr(count_chars($kinds, 3), -1);
        if (ord($highest) >= count($this->header->mix)) {
            throw new InvalidInput('the workload\'s command '.strpos($kinds, $highest).' is of a kind that its mix does not have');
        }

        return $kinds;
    }

    /** @return list<string> every command's key, made in the commands' order so they lie in memory in this order */
    public function keys(): array
    {
        [$keys, $prefix, $digits] = [[], $this->header->keyPrefix, $this->header->keyDigits];
        for ($first = 0; $first < $this->header->commands; $first += self::CHUNK) {
            foreach ($this->numbers($this->header->keys, $first) as $number) {
                $keys[] = $prefix.\str_pad((string) $number, $digits, '0', STR_PAD_LEFT);
            }
        }

        return $keys;
    }

    /** @return array<int, null|string> every command's value, null if it has none; equal values are one string */
    public function values(): array
    {
        $values = array_fill(0, $this->header->commands, null);
        [$made, $multiplier] = [[], $this->header->valueMultiplier];
        for ($first = 0; $first < $this->header->commands; $first += self::CHUNK) {
            $keys = $this->numbers($this->header->keys, $first);
            foreach ($this->numbers($this->header->sizes, $first) as $number => $size) {
                if (0 !== $size) {
                    $key = $keys[$number];
                    $values[$first + $number - 1] = $made[$size][$key * $multiplier & $this->mask] ??= $this->value($key, $size);
                }
            }
        }

        return $values;
    }

    public function kind(int $index): Kind
    {
        return $this->header->mix[ord($this->content[$this->header->kinds->offset + $index])];
    }

    public function keyNumber(int $index): int
    {
        return self::uint32($this->content, $this->header->keys->offset + 4 * $index);
    }

    /** The key with this number, as it is sent. */
    public function key(int $number): string
    {
        return $this->header->keyPrefix.str_pad((string) $number, $this->header->keyDigits, '0', STR_PAD_LEFT);
    }

    /** The first `size` bytes of the value of key number `key`. */
    public function value(int $key, int $size): string
    {
        $start = $key * $this->header->valueMultiplier & $this->mask;
        if ($start + $size > $this->header->block->length) {
            throw new InvalidInput("the workload's block is too short for a value of {$size} bytes of key {$key}");
        }

        return substr($this->content, $this->header->block->offset + $start, $size);
    }

    /** @return list<string> the words of a command, after its name */
    public function words(int $index): array
    {
        $key = $this->keyNumber($index);
        $size = self::uint32($this->content, $this->header->sizes->offset + 4 * $index);

        return array_map(fn (Argument $argument): string => match ($argument->kind) {
            Argument::KEY => $this->key($key + $argument->offset),
            Argument::VALUE => $this->value($key + $argument->offset, $size),
            default => $argument->text,
        }, $this->kind($index)->arguments);
    }

    /** The command as messages show it, without its value. */
    public function shown(int $index): string
    {
        $words = [$this->kind($index)->name];
        foreach ($this->kind($index)->arguments as $argument) {
            $words[] = match ($argument->kind) {
                Argument::KEY => $this->key($this->keyNumber($index) + $argument->offset),
                Argument::VALUE => '…',
                default => $argument->text,
            };
        }

        return "command {$index} of the workload, ".implode(' ', $words);
    }

    /** @return array<int, int> the numbers of a column from `first` on, with indexes from 1 on */
    private function numbers(Section $column, int $first): array
    {
        $count = min(self::CHUNK, $this->header->commands - $first);

        // @phpstan-ignore return.type (with this format unpack gives integers)
        return unpack('V*', substr($this->content, $column->offset + 4 * $first, 4 * $count));
    }
}
