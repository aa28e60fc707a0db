<?php

declare(strict_types=1);

// The runner's own classes, without Composer: phpredis can be measured where no package site can be reached.
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Respmark\\')) {
        $file = __DIR__.'/'.strtr(substr($class, 9), '\\', '/').'.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
