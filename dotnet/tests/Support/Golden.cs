using System.Text.Json;

namespace Respmark.Tests.Support;

/// <summary>The golden examples of the contract.</summary>
internal static class Golden
{
    public static string Root { get; } = FindRoot();

    public static string Folder { get; } = Path.Combine(Root, "harness", "contract", "golden");

    public static string Workload { get; } = Path.Combine(Folder, "golden.workload");

    /// <summary>The workload that has every command.</summary>
    public static string Commands { get; } = Path.Combine(Folder, "commands.workload");

    public static JsonElement Json(string name)
    {
        using var document = JsonDocument.Parse(File.ReadAllBytes(Path.Combine(Folder, name)));
        return document.RootElement.Clone();
    }

    /// <summary>Examples of <c>trials</c> or <c>orders</c>, <c>valid</c> or <c>invalid</c>.</summary>
    public static IEnumerable<string> Files(string what, string kind) =>
        Directory.EnumerateFiles(Path.Combine(Folder, what, kind), "*.json").Order(StringComparer.Ordinal);

    private static string FindRoot()
    {
        for (var folder = AppContext.BaseDirectory; folder is not null; folder = Path.GetDirectoryName(folder))
        {
            if (Directory.Exists(Path.Combine(folder, "harness", "contract")))
            {
                return folder;
            }
        }

        throw new InvalidOperationException("the tests do not lie in a checkout");
    }
}
