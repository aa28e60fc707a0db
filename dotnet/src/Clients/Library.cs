using Respmark.Contract;
using Respmark.Workload;

namespace Respmark.Clients;

/// <summary>One client library: what it can express, and how it is driven.</summary>
internal abstract class Library
{
    public abstract string Name { get; }

    /// <summary>What it can do here; <see cref="FileNotFoundException"/> if its assembly cannot be loaded.</summary>
    public abstract ClientDescription Describe();

    /// <summary>The versions that are actually loaded.</summary>
    public abstract IReadOnlyDictionary<string, string> Versions { get; }

    /// <summary>Why it cannot express this trial, or null if it can.</summary>
    public abstract string? Objection(Trial trial);

    /// <summary>Makes everything that the trial needs, except its connections.</summary>
    public abstract ISession Load(Trial trial, CommandTable workload);
}
