<?php

declare(strict_types=1);

namespace Respmark\Clients;

/** The folder of Composer's packages that this process runs with; each version of a library has its own. */
final readonly class Packages
{
    public const DISTRIBUTION = 'distribution';

    public function __construct(private string $folder) {}

    /** Loads the packages' autoloader; returns whether there is one. */
    public function load(): bool
    {
        $autoload = "{$this->folder}/autoload.php";
        if (!is_file($autoload)) {
            return false;
        }

        require_once $autoload;

        return true;
    }

    public function missing(): string
    {
        return "{$this->folder}/autoload.php is not there";
    }

    /** Whether the trial asks for the library as the system's distribution packages it, and this folder holds that. */
    public function isDistributionOf(string $library, ?string $version): bool
    {
        return self::DISTRIBUTION === $version && basename($this->folder) === "{$library}-{$version}";
    }

    /** Who packaged the library in this folder. */
    public function origin(): string
    {
        return str_ends_with($this->folder, '-'.self::DISTRIBUTION) ? "the system's distribution" : 'Composer';
    }
}
