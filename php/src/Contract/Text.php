<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** Texts and values as messages show them. */
final class Text
{
    private const LONGEST_VALUE = 60;

    /** At most `longest` characters, or bytes if the text is not UTF-8. */
    public static function shortened(string $text, int $longest): string
    {
        if (strlen($text) <= $longest) {
            return $text;
        }
        $isText = 1 === preg_match("/^.{0,{$longest}}/su", $text, $found);
        $start = $isText ? $found[0] : substr($text, 0, $longest);

        return $start === $text ? $text : "{$start}…";
    }

    /** A value as JSON, shortened. */
    public static function shown(mixed $value): string
    {
        $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR;
        $json = json_encode($value, $flags);

        return self::shortened(false === $json ? get_debug_type($value) : $json, self::LONGEST_VALUE);
    }
}
