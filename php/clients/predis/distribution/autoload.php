<?php

declare(strict_types=1);
use Predis\Autoloader;

// predis as Debian and its relatives package it (php-nrk-predis): setup puts this file where Composer's would be.
require '/usr/share/php/Predis/Autoloader.php';

Autoloader::register();
