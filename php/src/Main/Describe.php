<?php

declare(strict_types=1);

namespace Respmark\Main;

use Respmark\Clients\Packages;
use Respmark\Clients\Registry;
use Respmark\Contract\ClientDescription;
use Respmark\Contract\MissingClient;
use Respmark\Contract\Version;

/** What this runner can do here and now. */
final class Describe
{
    public static function print(Packages $packages): void
    {
        (new Channel(STDIN, STDOUT))->print(self::description((new Registry($packages))->describe()));
    }

    /**
     * @param list<ClientDescription|MissingClient> $found
     *
     * @return array<string, mixed>
     */
    public static function description(array $found): array
    {
        $clients = $missing = [];
        foreach ($found as $one) {
            if ($one instanceof ClientDescription) {
                $clients[] = $one->toJson();
            } else {
                $missing[] = $one;
            }
        }

        return [
            'schema_version' => Version::SCHEMA,
            'runner' => 'php',
            'runtime' => 'PHP',
            'runtime_version' => PHP_VERSION,
            'clients' => $clients,
            'missing' => $missing,
        ];
    }
}
