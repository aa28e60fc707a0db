namespace Respmark.Clients;

/// <summary>One client for one trial.</summary>
internal interface ISession
{
    /// <summary>Opens every connection of the trial; returns a lane for each walker.</summary>
    IReadOnlyList<Lane> Connect();

    /// <summary>What the library decodes a GET reply to: bytes or text.</summary>
    string DecodesTo { get; }

    /// <summary>What a reader must know about how the library is used.</summary>
    IReadOnlyDictionary<string, object> Settings { get; }

    /// <summary>Whether this is an error that a failed unit raises.</summary>
    bool IsFailure(Exception error);

    /// <summary>Whether it is the server's reply to one command, not a refusal of the runner as a whole.</summary>
    bool IsReply(Exception error);

    /// <summary>After a failure: waits for the library to reconnect, if it has to, but not for long.</summary>
    Task SettleAsync();

    /// <summary>What a failure before the first slice means; asks the target itself if that helps.</summary>
    TargetException Explain(Exception error);

    /// <summary>Closes every connection that is open.</summary>
    void Close();
}
