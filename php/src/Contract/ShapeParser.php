<?php

declare(strict_types=1);

namespace Respmark\Contract;

use Respmark\Errors\InvalidInput;

/** Reads the shape of a scenario; refuses fields that the scenario does not use. */
final class ShapeParser
{
    private const FIELDS = ['depth', 'window', 'form', 'threads', 'connections', 'max_total', 'max_idle', 'cache_entries'];
    private const LEAST = ['max_idle' => 0];

    public static function parse(Fields $trial): Shape
    {
        $scenario = Scenario::from($trial->oneOf('scenario', array_column(Scenario::cases(), 'value')));
        $fields = Fields::of($trial->required('shape'), 'trial.shape', [...self::FIELDS, 'processes']);
        $fields->integer('processes', 1, default: 1);
        self::checkUse($fields, $scenario);
        self::checkValues($fields);

        return new Shape(
            $scenario,
            $fields->integer('depth', 1, default: 1),
            $fields->has('form') ? Form::from($fields->text('form')) : null,
        );
    }

    private static function checkUse(Fields $fields, Scenario $scenario): void
    {
        $used = [...$scenario->required(), ...$scenario->optional(), 'processes'];
        foreach ($scenario->required() as $name) {
            if (!$fields->has($name)) {
                $needs = implode(', ', $scenario->required());

                throw new InvalidInput($fields->at($name)." is missing: {$scenario->value} needs {$needs}");
            }
        }
        foreach (array_diff(self::FIELDS, $used) as $name) {
            if ($fields->has($name)) {
                $uses = implode(', ', $used);

                throw new InvalidInput($fields->at($name)." has no meaning for {$scenario->value}, which uses {$uses}");
            }
        }
    }

    private static function checkValues(Fields $fields): void
    {
        foreach (array_filter(self::FIELDS, $fields->has(...)) as $name) {
            match ($name) {
                'window' => $fields->oneOf($name, ['burst', 'sliding']),
                'form' => $fields->oneOf($name, array_column(Form::cases(), 'value')),
                default => $fields->integer($name, self::LEAST[$name] ?? 1),
            };
        }
    }
}
