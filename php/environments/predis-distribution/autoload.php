<?php

declare(strict_types=1);

// predis as Debian and its relatives package it (php-nrk-predis): set-up puts this file where Composer's would stand.
require '/usr/share/php/Predis/Autoloader.php';

Predis\Autoloader::register();
