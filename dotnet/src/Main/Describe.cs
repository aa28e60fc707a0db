using Respmark.Clients;
using Respmark.Contract;

namespace Respmark.Main;

/// <summary>What this runner can do here.</summary>
internal static class Describe
{
    public static void Print(Channel channel)
    {
        var (clients, missing) = Registry.Survey();
        channel.Print(Messages.Line(new Description(Environment.Version.ToString(), clients, missing)));
    }
}
