<?php

declare(strict_types=1);

namespace Respmark\Workload;

/** How a library sends commands of one kind: a method, and its arguments with places for a command's key and value. */
final class Call
{
    /**
     * @param array<int, null|int|string> $arguments
     * @param list<int>                   $keyPlaces
     * @param list<int>                   $valuePlaces
     */
    private function __construct(
        public readonly string $method,
        private array $arguments,
        private readonly array $keyPlaces,
        private readonly array $valuePlaces,
    ) {}

    /**
     * @param list<string>                   $arguments those before the command's own
     * @param \Closure(string): (int|string) $literal   what the library wants a literal to be
     */
    public static function of(Kind $kind, string $method, array $arguments, \Closure $literal): self
    {
        $places = [Argument::KEY => [], Argument::VALUE => []];
        foreach ($kind->arguments as $argument) {
            if (Argument::LITERAL === $argument->kind) {
                $arguments[] = $literal($argument->text);
            } else {
                $places[$argument->kind][] = count($arguments);
                $arguments[] = '';
            }
        }

        return new self($method, $arguments, $places[Argument::KEY], $places[Argument::VALUE]);
    }

    /** @return array<int, null|int|string> the arguments of one command; they are put into the same array each time */
    public function with(string $key, ?string $value): array
    {
        foreach ($this->keyPlaces as $place) {
            $this->arguments[$place] = $key;
        }
        foreach ($this->valuePlaces as $place) {
            $this->arguments[$place] = $value;
        }

        return $this->arguments;
    }
}
