namespace Respmark.Bench;

/// <summary>A reply was not what its command must have: the benchmark fails.</summary>
internal sealed class WrongReplyException(string message) : Exception(message);
