using Respmark.Contract;
using Respmark.Workload;

namespace Respmark.Clients;

/// <summary>One client library: what it can express, and how it is driven.</summary>
internal abstract class Library
{
    public abstract string Name { get; }

    /// <summary>What it can do here; throws <see cref="FileNotFoundException"/> where its assembly cannot be loaded.</summary>
    public abstract ClientDescription Describe();

    /// <summary>What is really loaded.</summary>
    public abstract IReadOnlyDictionary<string, string> Versions { get; }

    /// <summary>Why it cannot express this trial, or null when it can.</summary>
    public abstract string? Objection(Trial trial);

    /// <summary>Makes everything that the trial needs but its connections.</summary>
    public abstract ISession Load(Trial trial, CommandTable workload);
}
