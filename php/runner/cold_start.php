<?php

// A program that starts, sends one command and has its reply; it says how long each stage took, as harness/contract.md
// says under "Cold start": php cold_start.php --packages FOLDER.

declare(strict_types=1);

use Respmark\ColdStart;

$mainNs = hrtime(true);

foreach (['Adapter', 'AnyCommand', 'Caching', 'Call', 'ColdStart', 'Pipelining', 'Workload'] as $class) {
    require __DIR__."/{$class}.php";
}

try {
    $start = new ColdStart($mainNs, $argv[2] ?? '');
    // @phpstan-ignore argument.type (the harness sends only what is valid)
    $answer = $start->answer(json_decode((string) fgets(STDIN), true, flags: JSON_THROW_ON_ERROR));
    fwrite(STDOUT, json_encode($answer, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE)."\n");
} catch (Throwable $error) {
    fwrite(STDERR, "{$error}\n".$error::class.": {$error->getMessage()}\n");

    exit(1);
}
