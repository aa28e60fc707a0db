namespace Respmark;

/// <summary>Exit codes of the contract.</summary>
internal enum ExitCode
{
    Done = 0,
    Other = 1,
    InvalidInput = 2,
    Unsupported = 3,
    Target = 4,
}

/// <summary>A failure that one sentence explains: what was wrong, where, and what to do.</summary>
internal class RunnerException(string message, ExitCode exitCode = ExitCode.Other, Exception? cause = null)
    : Exception(message, cause)
{
    public ExitCode ExitCode { get; } = exitCode;
}

/// <summary>
/// The trial or an order cannot be understood, is not due, or asks for something that does not exist.
/// </summary>
internal sealed class InvalidInputException(string message) : RunnerException(message, ExitCode.InvalidInput);

/// <summary>The trial is valid, but this client cannot express it.</summary>
internal sealed class UnsupportedException(string message) : RunnerException(message, ExitCode.Unsupported);

/// <summary>The target cannot be reached, refused the runner, or was lost.</summary>
internal sealed class TargetException(string message, Exception? cause = null)
    : RunnerException(message, ExitCode.Target, cause);

/// <summary>A reply is not what its command must return.</summary>
internal sealed class WrongReplyException(string message, Exception? cause = null)
    : RunnerException(message, ExitCode.Other, cause);
