<?php

declare(strict_types=1);

namespace Respmark\Errors;

/** A reply is not the one that its command must have. */
final class WrongReply extends RunnerError {}
