<?php

declare(strict_types=1);

use PhpCsFixer\Config;
use PhpCsFixer\Finder;

return (new Config())
    ->setCacheFile(__DIR__.'/../.build/php/cache/php-cs-fixer.json')
    ->setRiskyAllowed(true)
    ->setRules([
        '@PhpCsFixer' => true,
        '@PhpCsFixer:risky' => true,
        'multiline_whitespace_before_semicolons' => ['strategy' => 'no_multi_line'],
        'native_function_invocation' => false,
        'native_constant_invocation' => false,
        'ordered_class_elements' => false,
        'php_unit_internal_class' => false,
        'php_unit_test_class_requires_covers' => false,
        'single_line_empty_body' => true,
    ])
    ->setFinder((new Finder())->in(__DIR__)->append([__FILE__]));
