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

try {
    while (false !== ($line = fgets(STDIN))) {
        /** @var array<string, array<string, mixed>> $order */
        $order = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
        // @phpstan-ignore argument.type, method.dynamicName (the harness sends only what is valid)
        $answer = null === $runner ? ($runner = new Runner($order))->loaded() : $runner->{key($order)}(...current($order));
        fwrite(STDOUT, json_encode($answer, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE)."\n");
    }
} catch (DomainException $reason) {
    fwrite(STDOUT, json_encode(['unsupported' => $reason->getMessage()], JSON_THROW_ON_ERROR)."\n");
} catch (Throwable $error) {
    fwrite(STDERR, "{$error}\n".$error::class.": {$error->getMessage()}\n");

    exit(1);
}
