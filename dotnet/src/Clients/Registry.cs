using Respmark.Contract;

namespace Respmark.Clients;

/// <summary>Every client library that this runner knows.</summary>
internal static class Registry
{
    private static readonly Library[] Libraries = [new StackExchangeRedis()];

    /// <summary>The trial's library; refuses a version or an option that it does not have.</summary>
    public static Library Find(ClientChoice choice)
    {
        var library = choice.Library == NullLibrary.Called
            ? new NullLibrary()
            : Array.Find(Libraries, known => known.Name == choice.Library)
            ?? throw new InvalidInputException(
                $"trial.client.library must be one of {string.Join(", ", Libraries.Select(known => known.Name))}, "
                + $"not {choice.Library}");
        ClientDescription description;
        try
        {
            description = library.Describe();
        }
        catch (FileNotFoundException error)
        {
            throw new RunnerException($"{library.Name} cannot be loaded ({error.Message}): run `make setup`");
        }

        CheckVersion(choice, description);
        CheckOptions(choice, description);
        return library;
    }

    /// <summary>The libraries that can be loaded, and what is missing for the others.</summary>
    public static (IReadOnlyList<ClientDescription> Clients, IReadOnlyList<MissingClient> Missing) Survey()
    {
        var clients = new List<ClientDescription>();
        var missing = new List<MissingClient>();
        foreach (var library in Libraries)
        {
            try
            {
                clients.Add(library.Describe());
            }
            catch (FileNotFoundException error)
            {
                missing.Add(new MissingClient(library.Name, error.Message, "run `make setup`"));
            }
        }

        return (clients, missing);
    }

    private static void CheckVersion(ClientChoice choice, ClientDescription description)
    {
        if (choice.Version is { } version && version != description.Version)
        {
            throw new UnsupportedException(
                $"this environment has {description.Library} {description.Version}, not {version}: run the trial in the "
                + $"environment {description.Library}-{version}, which `make setup` makes");
        }
    }

    private static void CheckOptions(ClientChoice choice, ClientDescription description)
    {
        foreach (var (name, value) in choice.Options)
        {
            if (!description.Options.TryGetValue(name, out var values))
            {
                throw new InvalidInputException(
                    $"trial.client.options.{name} is unknown; known are {string.Join(", ", description.Options.Keys)}");
            }

            if (!values.Contains(value))
            {
                throw new InvalidInputException(
                    $"trial.client.options.{name} must be one of {string.Join(", ", values)}, not {value}");
            }
        }
    }
}
