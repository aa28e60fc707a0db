<?php

declare(strict_types=1);

namespace Respmark\Tests\Support;

/** Workload files of the tests' own. */
final class WorkloadFiles
{
    public const KEY = ['kind' => 'key'];
    public const VALUE = ['kind' => 'value'];

    /** @return array{kind: string, text: string} */
    public static function literal(string $text): array
    {
        return ['kind' => 'literal', 'text' => $text];
    }

    /**
     * A header of 8 keys and values of 4 to 64 bytes, without its columns.
     *
     * @return array<string, mixed>
     */
    public static function header(): array
    {
        return [
            'schema_version' => 2, 'name' => 'test', 'seed' => 1, 'key_prefix' => 'k%', 'key_digits' => 4,
            'preload_keys' => 8, 'value_multiplier' => 40503, 'value_modulus_bits' => 8,
            'value_size_min' => 4, 'value_size_max' => 64, 'hash_fields' => 2,
        ];
    }

    /**
     * Writes a file that holds each command of the mix once for each of 8 keys.
     *
     * @param list<array{string, list<array<string, string>>}> $mix
     * @param array<string, mixed>                             $changes
     */
    public static function write(string $path, array $mix, array $changes = [], int $size = 16, int $repeats = 1): string
    {
        $kinds = $keys = $sizes = '';
        for ($index = 0; $index < count($mix) * 8 * $repeats; ++$index) {
            $kinds .= chr($index % count($mix));
            $keys .= pack('V', intdiv($index, count($mix)) % 8);
            $sizes .= pack('V', in_array(self::VALUE, $mix[$index % count($mix)][1], true) ? $size : 0);
        }
        $block = substr(str_repeat(implode('', range('A', 'Z')), 1 + intdiv(320 + $size, 26)), 0, 320 + $size);
        $entries = array_map(static fn (array $one): array => ['name' => $one[0], 'arguments' => $one[1]], $mix);
        $header = ['commands' => count($mix) * 8 * $repeats, 'mix' => $entries] + self::header();
        $columns = ['kinds' => $kinds, 'keys' => $keys, 'sizes' => $sizes, 'block' => $block];
        $offset = 4096;
        foreach ($columns as $name => $column) {
            $header[$name] = ['offset' => $offset, 'length' => strlen($column)];
            $offset += strlen($column);
        }
        $text = str_pad(json_encode($changes + $header, JSON_THROW_ON_ERROR), 4096 - 16);
        file_put_contents($path, 'RESPMARK'.pack('VV', 2, strlen($text)).$text.implode('', $columns));

        return $path;
    }
}
