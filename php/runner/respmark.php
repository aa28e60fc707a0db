<?php

// The PHP runner: php respmark.php --packages FOLDER; harness/contract.md says what it reads and prints.

declare(strict_types=1);

use Respmark\Runner;

// The folder of Composer's packages that this process runs with: each version of a library has one of its own.
$packages = $argv[2] ?? '';
if (is_file("{$packages}/autoload.php")) {
    require "{$packages}/autoload.php";
}
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Respmark\\')) {
        require __DIR__.'/'.substr($class, strlen('Respmark\\')).'.php';
    }
});
$runner = null;

/** @param array<string, mixed> $order a trial, or an order for the one before */
$obey = static function (array $order) use (&$runner): mixed {
    try {
        if (!isset($order['client'])) {
            // @phpstan-ignore method.dynamicName (the harness sends only what is valid)
            return $runner->{key($order)}(...current($order));
        }
        $runner?->close();
        $runner = null;
        // @phpstan-ignore argument.type (the harness sends only what is valid)
        $runner = new Runner($order);

        return $runner->loaded();
    } catch (DomainException $reason) {
        return ['unsupported' => $reason->getMessage()];
    }
};

try {
    while (false !== ($line = fgets(STDIN))) {
        /** @var array<string, mixed> $order */
        $order = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
        fwrite(STDOUT, json_encode($obey($order), JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE)."\n");
    }
    $runner?->close();
} catch (Throwable $error) {
    fwrite(STDERR, "{$error}\n".$error::class.": {$error->getMessage()}\n");

    exit(1);
}
