<?php

declare(strict_types=1);

namespace Respmark\Tests\Contract;

use PHPUnit\Framework\TestCase;
use Respmark\Contract\Text;

/** @internal */
final class TextTest extends TestCase
{
    /** Long texts are cut between characters, bytes that are no text between bytes. */
    public function testLongTextsAreShortened(): void
    {
        self::assertSame('short', Text::shortened('short', 5));
        self::assertSame('äö…', Text::shortened('äöü', 2));
        self::assertSame('äöü', Text::shortened('äöü', 3));
        self::assertSame("\xff\xfe…", Text::shortened("\xff\xfe\xfd", 2));
    }

    /** Any value has words. */
    public function testValuesAreShownAsJson(): void
    {
        self::assertSame('{"a":1}', Text::shown(['a' => 1]));
        self::assertSame('null', Text::shown(null));
    }
}
