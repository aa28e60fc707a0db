<?php

// The PHP runner: php respmark.php --packages FOLDER; harness/contract.md says what it reads and prints.

declare(strict_types=1);

use Respmark\Runner;

spl_autoload_register(static function (string $class): void {
    $file = __DIR__.'/'.substr($class, strlen('Respmark\\')).'.php';
    if (str_starts_with($class, 'Respmark\\') && is_file($file)) {
        require $file;
    }
});

// The folder of Composer's packages that this process runs with: each version of a library has one of its own.
$packages = $argv[2] ?? '';
if (is_file("{$packages}/autoload.php")) {
    require "{$packages}/autoload.php";
}
$trial = fgets(STDIN);

try {
    if (false !== $trial) {
        Runner::run($trial, basename($packages));
    }
} catch (Throwable $error) {
    fwrite(STDERR, "{$error}\n".$error::class.": {$error->getMessage()}\n");

    exit(1);
}
