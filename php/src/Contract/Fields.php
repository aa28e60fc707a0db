<?php

declare(strict_types=1);

namespace Respmark\Contract;

use Respmark\Errors\InvalidInput;

/** A JSON object and its path in the message; refuses unknown fields and says what is wrong with the others. */
final readonly class Fields
{
    /** @param array<array-key, mixed> $values */
    private function __construct(
        public string $path,
        private array $values,
    ) {}

    /** The value of one line of JSON. Messages do not repeat the line, which may hold a password. */
    public static function decoded(string $line, string $path): mixed
    {
        try {
            return json_decode($line, false, 64, JSON_THROW_ON_ERROR);
        } catch (\JsonException) {
            throw new InvalidInput("{$path} must be one JSON object on one line");
        }
    }

    /** @param list<string> $known */
    public static function of(mixed $value, string $path, array $known): self
    {
        $fields = self::open($value, $path);
        foreach (array_keys($fields->values) as $name) {
            if (!in_array($name, $known, true)) {
                throw new InvalidInput("{$path}.{$name} is unknown; known are ".implode(', ', $known));
            }
        }

        return $fields;
    }

    /** Any object, whatever its fields are. */
    public static function open(mixed $value, string $path): self
    {
        if (!$value instanceof \stdClass) {
            throw new InvalidInput("{$path} must be an object, not ".Text::shown($value));
        }

        return new self($path, (array) $value);
    }

    public function has(string $name): bool
    {
        return isset($this->values[$name]);
    }

    /** @return array<array-key, mixed> */
    public function all(): array
    {
        return $this->values;
    }

    public function at(string $name): string
    {
        return "{$this->path}.{$name}";
    }

    public function required(string $name): mixed
    {
        if (!array_key_exists($name, $this->values)) {
            throw new InvalidInput($this->at($name).' is missing');
        }

        return $this->values[$name];
    }

    public function text(string $name): string
    {
        $value = $this->required($name);

        return is_string($value) && '' !== $value ? $value : throw $this->wrong($name, 'a text that is not empty');
    }

    public function optionalText(string $name): ?string
    {
        return $this->has($name) ? $this->text($name) : null;
    }

    /** @param null|int $default if it is absent; null: it is required */
    public function integer(string $name, int $least, int $most = PHP_INT_MAX, ?int $default = null): int
    {
        $value = null === $default ? $this->required($name) : ($this->values[$name] ?? $default);
        if (is_int($value) && $value >= $least && $value <= $most) {
            return $value;
        }
        $range = PHP_INT_MAX === $most ? "{$least} or more" : "from {$least} to {$most}";

        throw $this->wrong($name, "an integer, {$range}");
    }

    /** @param null|bool $default if it is absent; null: it is required */
    public function flag(string $name, ?bool $default = null): bool
    {
        $value = null === $default ? $this->required($name) : ($this->values[$name] ?? $default);

        return is_bool($value) ? $value : throw $this->wrong($name, 'true or false');
    }

    /**
     * @param list<string> $words
     */
    public function oneOf(string $name, array $words): string
    {
        $value = $this->required($name);

        return is_string($value) && in_array($value, $words, true)
            ? $value
            : throw $this->wrong($name, 'one of '.implode(', ', $words));
    }

    /** @return list<mixed> */
    public function items(string $name): array
    {
        $value = $this->required($name);

        return is_array($value) ? array_values($value) : throw $this->wrong($name, 'a list');
    }

    /** Refuses any version but this runner's. */
    public function checkSchemaVersion(): void
    {
        Version::check($this->at('schema_version'), $this->integer('schema_version', 1));
    }

    public function wrong(string $name, string $expected): InvalidInput
    {
        $found = Text::shown($this->values[$name] ?? null);

        return new InvalidInput($this->at($name)." must be {$expected}, not {$found}");
    }
}
