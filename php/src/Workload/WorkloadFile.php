<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Errors\InvalidTrial;

/** Reads a workload file; what is wrong with it is the trial's fault. */
final class WorkloadFile
{
    private const MAGIC = 'RESPMARK';
    private const LAYOUT_VERSION = 1;
    private const PREAMBLE = 16;

    public static function read(string $path): Workload
    {
        try {
            return self::parse(self::content($path));
        } catch (InvalidTrial $error) {
            throw new InvalidTrial("trial.workload.path: {$path}: {$error->getMessage()}");
        }
    }

    public static function parse(string $content): Workload
    {
        $header = self::header($content);

        return new Workload(
            $header,
            self::cut($content, $header->kinds, $header->commands),
            self::cut($content, $header->keys, 4 * $header->commands),
            self::cut($content, $header->sizes, 4 * $header->commands),
            self::cut($content, $header->block, 0),
        );
    }

    private static function content(string $path): string
    {
        $content = @file_get_contents($path);

        return false === $content
            ? throw new InvalidTrial('it cannot be read: make the workload file first')
            : $content;
    }

    private static function header(string $content): Header
    {
        if (strlen($content) < self::PREAMBLE || !str_starts_with($content, self::MAGIC)) {
            throw new InvalidTrial('it is not a workload file: it does not start with '.self::MAGIC);
        }
        $version = self::number($content, 8);
        if ($version > self::LAYOUT_VERSION) {
            $reads = self::LAYOUT_VERSION;

            throw new InvalidTrial("its layout {$version} is newer than this runner, which reads {$reads}: update the runner");
        }
        $text = self::cut($content, new Section(self::PREAMBLE, self::number($content, 12)), 0);

        try {
            return Header::parse(json_decode($text, false, 64, JSON_THROW_ON_ERROR));
        } catch (\JsonException) {
            throw new InvalidTrial('its header is not JSON');
        }
    }

    private static function cut(string $content, Section $section, int $least): string
    {
        $end = $section->offset + max($section->length, $least);
        if ($end > strlen($content)) {
            throw new InvalidTrial('it is cut off: it has '.strlen($content)." bytes, and a column ends at {$end}");
        }

        return substr($content, $section->offset, $end - $section->offset);
    }

    private static function number(string $content, int $offset): int
    {
        return Workload::uint32($content, $offset);
    }
}
