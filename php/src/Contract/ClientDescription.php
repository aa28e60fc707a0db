<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** One client library that the runner can drive here and now. */
final readonly class ClientDescription
{
    /**
     * @param array<string, string>                     $dependencies versions of libraries that change how it works
     * @param array<string, non-empty-list<int|string>> $options      every option with its values, the default first
     * @param list<Difference>                          $differences  how it differs from a plain install
     */
    public function __construct(
        public string $library,
        public string $version,
        public array $dependencies,
        public array $options,
        public array $differences,
    ) {}

    /** @return array<string, mixed> */
    public function toJson(): array
    {
        $plain = ['windows' => [], 'forms' => []];

        return [
            'library' => $this->library,
            'version' => $this->version,
            'dependencies' => (object) $this->dependencies,
            'options' => (object) $this->options,
            'scenarios' => [
                Scenario::Sync->value => $plain,
                Scenario::Batching->value => $plain,
                Scenario::Transaction->value => ['forms' => array_column(Form::cases(), 'value')] + $plain,
                Scenario::NewConnection->value => $plain,
            ],
            'differences' => $this->differences,
        ];
    }
}
