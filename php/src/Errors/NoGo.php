<?php

declare(strict_types=1);

namespace Respmark\Errors;

/** The harness went away before it said `go`, or said something else. */
final class NoGo extends RunnerError {}
