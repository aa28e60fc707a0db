namespace Respmark;

/// <summary>How a library's replies of one type are decoded.</summary>
/// <param name="Decode">What a user does to have the value; null if the library has returned it already.</param>
/// <param name="Shown">The decoded reply as JSON has it.</param>
internal sealed record Decoding<TReply>(Func<TReply, object?>? Decode, Func<TReply, JsonNode?> Shown)
{
    /// <summary>In the measured loop nobody is shown it: it is decoded and dropped, and no number is boxed.</summary>
    public void Read(TReply reply, Replies? shown)
    {
        if (shown is null)
        {
            Decode?.Invoke(reply);
        }
        else
        {
            shown.Add(Shown(reply));
        }
    }
}

/// <content>Commands, bound to the library's methods before the first slice.</content>
internal abstract partial class Adapter<TClient, TTarget>
{
    /// <summary>A command without its key.</summary>
    protected sealed record Step(
        Action<TClient, string, Replies?> Perform, Func<TTarget, string, Task> Send, Action<Task, Replies?> Read);

    protected static Step Of<TReply>(
        Func<TClient, string, TReply> perform, Func<TTarget, string, Task<TReply>> send, Decoding<TReply> reply) => new(
        (client, key, shown) => reply.Read(perform(client, key), shown),
        send,
        (sent, shown) => reply.Read(((Task<TReply>)sent).Result, shown));
}
