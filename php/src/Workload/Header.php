<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Contract\Fields;

/** The JSON header of a workload file. */
final readonly class Header
{
    private const FIELDS = [
        'schema_version', 'name', 'seed', 'key_prefix', 'mix', 'commands', 'preload_keys', 'key_digits',
        'value_multiplier', 'value_modulus_bits', 'value_size_min', 'value_size_max', 'hash_fields', 'kinds', 'keys', 'sizes', 'block',
    ];

    /**
     * @param int        $preloadKeys keys from this number on do not exist
     * @param int        $hashFields  fields of each preloaded hash
     * @param list<Kind> $mix
     */
    private function __construct(
        public int $commands,
        public int $preloadKeys,
        public string $keyPrefix,
        public int $keyDigits,
        public int $valueMultiplier,
        public int $valueModulusBits,
        public int $valueSizeMin,
        public int $valueSizeMax,
        public int $hashFields,
        public array $mix,
        public Section $kinds,
        public Section $keys,
        public Section $sizes,
        public Section $block,
    ) {}

    public static function parse(mixed $value): self
    {
        $fields = Fields::of($value, 'workload header', self::FIELDS);
        $fields->checkSchemaVersion();

        return new self(
            commands: $fields->integer('commands', 1),
            preloadKeys: $fields->integer('preload_keys', 0),
            keyPrefix: $fields->optionalText('key_prefix') ?? '',
            keyDigits: $fields->integer('key_digits', 1),
            valueMultiplier: $fields->integer('value_multiplier', 1),
            valueModulusBits: $fields->integer('value_modulus_bits', 1, 52),
            valueSizeMin: $fields->integer('value_size_min', 1),
            valueSizeMax: $fields->integer('value_size_max', 1),
            hashFields: $fields->integer('hash_fields', 1),
            mix: array_map(Kind::parse(...), $fields->items('mix')),
            kinds: Section::parse($fields, 'kinds'),
            keys: Section::parse($fields, 'keys'),
            sizes: Section::parse($fields, 'sizes'),
            block: Section::parse($fields, 'block'),
        );
    }

    /** Whether its only commands are GET of a key and SET of a key to its value, as in the post's workload. */
    public function hasOnlyGetsAndSets(): bool
    {
        foreach ($this->mix as $kind) {
            if (!$kind->is('GET', Argument::KEY) && !$kind->is('SET', Argument::KEY, Argument::VALUE)) {
                return false;
            }
        }

        return true;
    }
}
