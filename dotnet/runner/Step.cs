namespace Respmark;

/// <summary>How a library's replies of one type are decoded.</summary>
/// <param name="Decode">What a user does to have the value; null if the library has returned it already.</param>
/// <param name="Shown">What was decoded, as JSON has it.</param>
internal sealed record Decoding<TReply>(Func<TReply, object?>? Decode, Func<object?, JsonNode?> Shown)
{
    /// <summary>Decodes it; where nobody is shown it, as in the measured loop, it is dropped, and no number is boxed.</summary>
    public void Read(TReply reply, Replies? shown)
    {
        var decoded = Decode?.Invoke(reply);
        shown?.Add(Shown(Decode is null ? reply : decoded));
    }
}

/// <content>Commands, bound to the library's methods before the first slice.</content>
internal abstract partial class Adapter<TClient, TTarget>
{
    /// <summary>A command without its key.</summary>
    /// <param name="Perform">Sends it and waits for the reply; null if the library blocks nowhere.</param>
    /// <param name="Send">Sends it; null if the library only blocks.</param>
    /// <param name="Read">Decodes what was sent.</param>
    protected sealed record Step(
        Action<TClient, string, Replies?>? Perform,
        Func<TTarget, string, Task>? Send = null,
        Action<Task, Replies?>? Read = null);

    /// <summary>A command of a library that has both ways.</summary>
    protected static Step Of<TReply>(
        Func<TClient, string, TReply> perform, Func<TTarget, string, Task<TReply>> send, Decoding<TReply> reply) =>
        new(Blocking(perform, reply).Perform, send, Async(send, reply).Read);

    /// <summary>A command of a library whose methods block.</summary>
    protected static Step Blocking<TReply>(Func<TClient, string, TReply> perform, Decoding<TReply> reply) =>
        new((client, key, shown) => reply.Read(perform(client, key), shown));

    /// <summary>A command of a library whose methods return tasks.</summary>
    protected static Step Async<TReply>(Func<TTarget, string, Task<TReply>> send, Decoding<TReply> reply) =>
        new(null, send, (sent, shown) => reply.Read(((Task<TReply>)sent).Result, shown));
}
