namespace Respmark;

/// <summary>How a library's replies of one type are decoded.</summary>
/// <param name="Decode">What a user would do to have the value; null if the library has returned it already.</param>
/// <param name="Plain">The reply as bytes, text, numbers, lists and maps: see <see cref="Replies"/>.</param>
internal sealed record Decoding<TReply>(Func<TReply, object?>? Decode, Func<TReply, object?> Plain)
{
    public Decoding(Func<TReply, object?> decode)
        : this(decode, decode)
    {
    }
}

/// <content>Commands, bound to the library's methods before the first slice.</content>
internal abstract partial class Adapter<TClient, TTarget>
{
    /// <summary>A command without its key. In the measured loop a reply is decoded and dropped, and no number is boxed.</summary>
    protected sealed record Step(
        Action<TClient, string> Perform,
        Func<TClient, string, object?> Echo,
        Func<TTarget, string, Task> Send,
        Action<Task> Read,
        Func<Task, object?> EchoOf);

    /// <summary>A command with a reply.</summary>
    protected static Step Of<TReply>(
        Func<TClient, string, TReply> perform, Func<TTarget, string, Task<TReply>> send, Decoding<TReply> reply)
    {
        var (decode, plain) = (reply.Decode, reply.Plain);
        return new Step(
            decode is null ? (client, key) => perform(client, key) : (client, key) => decode(perform(client, key)),
            (client, key) => plain(perform(client, key)),
            send,
            decode is null ? sent => _ = ((Task<TReply>)sent).Result : sent => decode(((Task<TReply>)sent).Result),
            sent => plain(((Task<TReply>)sent).Result));
    }

    /// <summary>A command whose reply the library checks and keeps to itself.</summary>
    protected static Step Of(Action<TClient, string> perform, Func<TTarget, string, Task> send) => new(
        perform,
        (client, key) =>
        {
            perform(client, key);
            return null;
        },
        send,
        sent => sent.GetAwaiter().GetResult(),
        _ => null);
}
