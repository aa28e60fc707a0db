<?php

declare(strict_types=1);

namespace Respmark\Workload;

/** How a library sends commands of one kind: a method, and its arguments with places for a command's key and value. */
final class Call
{
    /**
     * @param array<int, mixed>                           $arguments
     * @param list<int>                                   $keyPlaces
     * @param list<int>                                   $valuePlaces
     * @param null|(\Closure(list<string>): array<mixed>) $whole       makes all words one argument, in the key's place
     * @param null|(\Closure(string): array<mixed>)       $value       makes the value an argument
     */
    private function __construct(
        public readonly string $method,
        private array $arguments,
        private readonly array $keyPlaces,
        private readonly array $valuePlaces,
        /** @var null|(\Closure(list<string>): array<mixed>) */
        public readonly ?\Closure $whole = null,
        /** @var null|(\Closure(string): array<mixed>) */
        public readonly ?\Closure $value = null,
    ) {}

    /** A method that takes the command's words one by one; literals that are numbers are passed as numbers. */
    public static function plain(Kind $kind, string $method): self
    {
        [$arguments, $places] = [[], [Argument::KEY => [], Argument::VALUE => []]];
        foreach ($kind->arguments as $argument) {
            if (Argument::LITERAL === $argument->kind) {
                $arguments[] = self::typed($argument->text);
            } else {
                $places[$argument->kind][] = count($arguments);
                $arguments[] = '';
            }
        }

        return new self($method, $arguments, $places[Argument::KEY], $places[Argument::VALUE]);
    }

    /** A method that takes all keys as one list. */
    public static function ofList(string $method): self
    {
        return new self($method, [''], [0], [], static fn (array $words): array => $words);
    }

    /** A method that takes all keys with their values as one array. */
    public static function ofPairs(string $method): self
    {
        $pairs = static fn (array $words): array => array_column(array_chunk($words, 2), 1, 0);

        return new self($method, [''], [0], [], $pairs);
    }

    /** A method that takes a key, and members with their scores as an array. */
    public static function ofScores(string $method, string $score): self
    {
        return new self($method, ['', ''], [0], [1], null, static fn (string $value): array => [$value => self::typed($score)]);
    }

    /**
     * @param array<mixed>|string      $key   all words, if they are one argument
     * @param null|array<mixed>|string $value
     *
     * @return array<int, mixed> the arguments of one command, in the same array each time
     */
    public function with(array|string $key, array|string|null $value): array
    {
        foreach ($this->keyPlaces as $place) {
            $this->arguments[$place] = $key;
        }
        foreach ($this->valuePlaces as $place) {
            $this->arguments[$place] = $value;
        }

        return $this->arguments;
    }

    private static function typed(string $word): float|int|string
    {
        return match (true) {
            (string) (int) $word === $word => (int) $word,
            (string) (float) $word === $word => (float) $word,
            default => $word,
        };
    }
}
