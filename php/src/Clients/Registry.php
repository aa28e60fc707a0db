<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Clients\Phpredis\Phpredis;
use Respmark\Clients\Predis\Predis;
use Respmark\Contract\ClientDescription;
use Respmark\Contract\MissingClient;
use Respmark\Contract\Trial;
use Respmark\Errors\InvalidInput;
use Respmark\Errors\RunnerError;
use Respmark\Errors\Unsupported;

/** Which client libraries this runner has. */
final readonly class Registry
{
    /** @var list<Library> */
    private array $libraries;

    /** @param Packages $packages the folder of Composer's packages */
    public function __construct(private Packages $packages)
    {
        $this->libraries = [new Phpredis(), new Predis($packages)];
    }

    /** @return list<ClientDescription|MissingClient> */
    public function describe(): array
    {
        $found = [];
        foreach ($this->libraries as $library) {
            array_push($found, $library->describe(), ...$library->missingOptions());
        }

        return $found;
    }

    /** The trial's library; refuses a version, option or scenario that it does not have here. */
    public function libraryFor(Trial $trial): Library
    {
        $library = $this->find($trial->client->library);
        $this->checkOptionsExist($library, $trial);
        $description = $library->describe();
        if ($description instanceof MissingClient) {
            throw new RunnerError("{$library->name()} is missing: {$description->reason}; {$description->advice}");
        }
        $this->checkVersion($trial, $description);
        self::checkOptionsAreHere($trial, $description);
        Objections::check($trial);

        return $library;
    }

    private function find(string $name): Library
    {
        if (NullLibrary::NAME === $name) {
            return new NullLibrary();
        }

        foreach ($this->libraries as $library) {
            if ($library->name() === $name) {
                return $library;
            }
        }
        $known = implode(', ', array_map(static fn (Library $library): string => $library->name(), $this->libraries));

        throw new InvalidInput("trial.client.library must be one of {$known}, not {$name}");
    }

    private function checkOptionsExist(Library $library, Trial $trial): void
    {
        $options = $library->everyOption();
        foreach ($trial->client->options as $name => $value) {
            $values = $options[$name] ?? throw new InvalidInput(
                "trial.client.options.{$name} is unknown; known are ".implode(', ', array_keys($options)),
            );
            if (!in_array($value, $values, true)) {
                throw new InvalidInput("trial.client.options.{$name} must be one of ".implode(', ', $values));
            }
        }
    }

    private function checkVersion(Trial $trial, ClientDescription $description): void
    {
        $asked = $trial->client->version;
        if (null !== $asked && $asked !== $description->version && !$this->packages->isDistributionOf($description->library, $asked)) {
            throw new Unsupported(
                "this environment has {$description->library} {$description->version}, not {$asked}: "
                ."run the trial in the environment {$description->library}-{$asked}, which `make setup` makes",
            );
        }
    }

    private static function checkOptionsAreHere(Trial $trial, ClientDescription $description): void
    {
        foreach ($trial->client->options as $name => $value) {
            $values = $description->options[$name] ?? [];
            if (!in_array($value, $values, true)) {
                $here = implode(', ', $values);

                throw new Unsupported(
                    "{$description->library} {$description->version} here has {$name} {$here}, not {$value}",
                );
            }
        }
    }
}
