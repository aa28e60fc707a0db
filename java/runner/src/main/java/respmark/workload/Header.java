package respmark.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import respmark.contract.Contract;
import respmark.contract.Fields;

/** The JSON header of a workload file. */
record Header(
        int commands,
        int preloadKeys,
        String keyPrefix,
        int keyDigits,
        long valueMultiplier,
        int valueModulusBits,
        int valueSizeMin,
        int valueSizeMax,
        int hashFields,
        List<Kind> mix,
        Section kinds,
        Section keys,
        Section sizes,
        Section block) {

    /** One word of a command: a key, a value or a text; `offset` is added to the key's number. */
    public record Argument(String kind, String text, int offset) {
        boolean isKey() {
            return kind.equals("key");
        }

        boolean isValue() {
            return kind.equals("value");
        }
    }

    /** One kind of command; a column of the file holds its index. */
    public record Kind(String name, List<Argument> arguments) {}

    /** Where a column lies in the file, in bytes. */
    public record Section(int offset, int length) {}

    static Header parse(Object value) {
        Fields fields = new Fields(value, "workload header");
        fields.take("schema_version", Contract::schemaVersion);
        fields.take("name", Fields::anyText);
        fields.take("seed", Fields.big(Long.MIN_VALUE));
        Header header = new Header(
                fields.take("commands", Fields.whole(1)),
                fields.take("preload_keys", Fields.whole(1)),
                fields.take("key_prefix", Fields::anyText),
                fields.take("key_digits", Fields.whole(1)),
                fields.take("value_multiplier", Fields.big(1)),
                fields.take("value_modulus_bits", Fields.whole(1)),
                fields.take("value_size_min", Fields.whole(1)),
                fields.take("value_size_max", Fields.whole(1)),
                fields.take("hash_fields", Fields.whole(1)),
                fields.take("mix", each(Header::kind)),
                fields.take("kinds", Header::section),
                fields.take("keys", Header::section),
                fields.take("sizes", Header::section),
                fields.take("block", Header::section));
        fields.finish();
        return header;
    }

    private static Section section(Object value, String where) {
        Fields fields = new Fields(value, where);
        Section section = new Section(fields.take("offset", Fields.whole(0)), fields.take("length", Fields.whole(0)));
        fields.finish();
        return section;
    }

    private static Kind kind(Object value, String where) {
        Fields fields = new Fields(value, where);
        Kind kind = new Kind(fields.take("name", Fields::text), fields.take("arguments", each(Header::argument)));
        fields.finish();
        return kind;
    }

    private static Argument argument(Object value, String where) {
        Fields fields = new Fields(value, where);
        String kind = fields.take("kind", Fields.oneOf(List.of("key", "value", "literal")));
        boolean isLiteral = kind.equals("literal");
        Argument argument = new Argument(
                kind,
                isLiteral ? fields.take("text", Fields::anyText) : null,
                isLiteral ? 0 : fields.take("offset", Fields.whole(0), 0));
        fields.finish();
        return argument;
    }

    private static <T> BiFunction<Object, String, List<T>> each(BiFunction<Object, String, T> read) {
        return (value, where) -> {
            List<T> items = new ArrayList<>();
            for (Object item : Fields.list(value, where)) {
                items.add(read.apply(item, where + "[" + items.size() + "]"));
            }
            return items;
        };
    }
}
