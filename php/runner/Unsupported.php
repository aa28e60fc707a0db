<?php

declare(strict_types=1);

namespace Respmark;

/** What this machine's PHP cannot do. */
final class Unsupported extends \Exception {}
