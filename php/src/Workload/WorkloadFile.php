<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Contract\Version;
use Respmark\Errors\InvalidInput;

/** Reads a workload file; if the file is not valid, neither is the trial. */
final class WorkloadFile
{
    private const MAGIC = 'RESPMARK';
    private const PREAMBLE = 16;

    public static function read(string $path): Workload
    {
        try {
            return self::parse(self::content($path));
        } catch (InvalidInput $error) {
            throw new InvalidInput("trial.workload.path: {$path}: {$error->getMessage()}");
        }
    }

    public static function parse(string $content): Workload
    {
        $header = self::header($content);

        self::checkLength($content, $header->kinds, $header->commands);
        self::checkLength($content, $header->keys, 4 * $header->commands);
        self::checkLength($content, $header->sizes, 4 * $header->commands);
        self::checkLength($content, $header->block, 0);

        return new Workload($header, $content);
    }

    private static function content(string $path): string
    {
        $content = @file_get_contents($path);

        return false === $content
            ? throw new InvalidInput('it cannot be read: make the workload file first')
            : $content;
    }

    private static function header(string $content): Header
    {
        if (strlen($content) < self::PREAMBLE || !str_starts_with($content, self::MAGIC)) {
            throw new InvalidInput('it is not a workload file: it does not start with '.self::MAGIC);
        }
        Version::check('its layout', Workload::uint32($content, 8));
        $section = new Section(self::PREAMBLE, Workload::uint32($content, 12));
        self::checkLength($content, $section, 0);
        $text = substr($content, $section->offset, $section->length);

        try {
            return Header::parse(json_decode($text, false, 64, JSON_THROW_ON_ERROR));
        } catch (\JsonException) {
            throw new InvalidInput('its header is not JSON');
        }
    }

    private static function checkLength(string $content, Section $section, int $least): void
    {
        $end = $section->offset + max($section->length, $least);
        if ($end > strlen($content)) {
            throw new InvalidInput('it is cut off: it has '.strlen($content)." bytes, and a column ends at {$end}");
        }
    }
}
