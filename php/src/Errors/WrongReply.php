<?php

declare(strict_types=1);

namespace Respmark\Errors;

/** A reply is not what its command must return: nothing measured with this client would mean anything. */
final class WrongReply extends RunnerError {}
