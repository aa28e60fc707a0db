<?php

declare(strict_types=1);

namespace Respmark\Errors;

/** The harness went away before the trial was done. */
final class InputEnded extends RunnerError {}
