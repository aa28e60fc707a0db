namespace Respmark;

/// <content>
/// The scenario as a user would write it over the library, to compare the runner's loops with: a plain loop without
/// walkers, units, samples or slices, which reads the clock once a unit.
/// </content>
internal abstract partial class Adapter<TClient, TTarget>
{
    public override Bared Bare(BareOrder order)
    {
        var first = (int)(order.First % _commands.Length);
        var started = Clock.Opening();
        var until = started[0] + order.Ns;
        var units = Trial.Scenario == "sync" && IsBlocking
            ? BareCommands(first, until)
            : BareUnitsAsync(first, until).GetAwaiter().GetResult();
        return new Bared(units, started, Clock.Closing());
    }

    private long BareCommands(int at, long until)
    {
        var (client, units) = (_clients[0], 0L);
        do
        {
            var (step, key) = _commands[at];
            step.Perform(client, key);
            at = at + 1 == _commands.Length ? 0 : at + 1;
            units++;
        }
        while (Clock.Now < until);
        return units;
    }

    private async Task<long> BareUnitsAsync(int at, long until)
    {
        var (client, way, depth, units) = (_clients[0], Way, Trial.Shape.Depth, 0L);
        do
        {
            var (steps, sent) = (new Step[depth], new Task[depth]);
            await way(client, target =>
            {
                for (var place = 0; place < depth; place++)
                {
                    (steps[place], var key) = _commands[at];
                    sent[place] = steps[place].Send(target, key);
                    at = at + 1 == _commands.Length ? 0 : at + 1;
                }
            }).ConfigureAwait(false);
            await Task.WhenAll(sent).ConfigureAwait(false);
            for (var place = 0; place < depth; place++)
            {
                steps[place].Read(sent[place]);
            }

            units++;
        }
        while (Clock.Now < until);
        return units;
    }
}
