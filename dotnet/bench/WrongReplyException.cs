namespace Respmark.Bench;

/// <summary>A reply is not what its command must return: the benchmark fails.</summary>
internal sealed class WrongReplyException(string message) : Exception(message);
