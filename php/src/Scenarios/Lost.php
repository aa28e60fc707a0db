<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

/** Nothing succeeds any more; the last failure is the previous exception. */
final class Lost extends \RuntimeException {}
