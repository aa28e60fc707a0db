using System.Text.Json;
using Respmark.Clients;
using Respmark.Contract;
using Respmark.Tests.Support;

namespace Respmark.Tests.Clients;

public class RefusalsTests
{
    private static readonly Endpoint Target = new("host", 1, null, 0, null, null, null);

    private static readonly JsonElement Contract = Golden.Json("refusals.json");

    public static TheoryData<string, string, string> Replies()
    {
        var data = new TheoryData<string, string, string>();
        foreach (var refusal in Contract.GetProperty("refusals").EnumerateArray())
        {
            foreach (var reply in refusal.GetProperty("replies").EnumerateArray())
            {
                data.Add(reply.GetString()!, Text(refusal, "meaning"), Text(refusal, "advice"));
            }
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Replies))]
    public void ARefusalHasTheContractsSentence(string reply, string meaning, string advice)
    {
        Assert.True(Refusals.IsRefusal(reply));
        var sentence = Refusals.Explain(new InvalidOperationException(reply), Target).Message;
        Assert.StartsWith($"host:1 {meaning} (", sentence, StringComparison.Ordinal);
        Assert.EndsWith($"): {advice}", sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void AnErrorOfOneCommandIsNoRefusal() => Assert.False(Refusals.IsRefusal("WRONGTYPE Operation against a key"));

    [Fact]
    public void EverySentenceIsOneOfTheContracts()
    {
        var known = Contract.GetProperty("refusals").EnumerateArray()
            .Select(refusal => (Text(refusal, "meaning"), Text(refusal, "advice"))).ToHashSet();
        Assert.All(Refusals.Sentences, sentence => Assert.Contains(sentence, known));
    }

    [Fact]
    public void ALostTargetHasTheContractsSentence()
    {
        var expected = Text(Contract.GetProperty("sentences"), "lost")
            .Replace("{address}", "host:1", StringComparison.Ordinal)
            .Replace("{complaint}", "silence", StringComparison.Ordinal)
            .Replace("{heard}", "InvalidOperationException: gone", StringComparison.Ordinal);
        Assert.Equal(expected, Refusals.Lost("silence", new InvalidOperationException("gone"), Target).Message);
    }

    private static string Text(JsonElement json, string name) => json.GetProperty(name).GetString()!;
}
