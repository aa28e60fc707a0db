package respmark.contract;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamReadException;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as maps, lists, texts, numbers, booleans and null; refuses duplicate names and anything
 * after the end.
 */
public final class Json {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private Json() {}

    /** Text that is not JSON, with the reason. */
    public static final class NotJson extends Exception {
        NotJson(String message) {
            super(message);
        }
    }

    /** The value that the text holds. */
    public static Object parse(String text) throws NotJson {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() == null) {
                throw new NotJson("it is empty");
            }
            Object value = value(parser);
            if (parser.nextToken() != null) {
                throw new NotJson("something follows the end of the object");
            }
            return value;
        } catch (StreamReadException error) {
            throw new NotJson(error.getOriginalMessage());
        } catch (IOException error) {
            throw new NotJson(error.getMessage());
        }
    }

    private static Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getNumberValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    private static Map<String, Object> object(JsonParser parser) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            fields.put(name, value(parser));
        }
        return fields;
    }

    private static List<Object> array(JsonParser parser) throws IOException {
        List<Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(value(parser));
        }
        return items;
    }

    /** The value as one line. */
    public static String line(Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            write(generator, value);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return text.toString();
    }

    private static void write(JsonGenerator generator, Object value) throws IOException {
        if (value instanceof Map<?, ?> fields) {
            generator.writeStartObject();
            for (Map.Entry<?, ?> field : fields.entrySet()) {
                generator.writeFieldName(field.getKey().toString());
                write(generator, field.getValue());
            }
            generator.writeEndObject();
        } else if (value instanceof Iterable<?> items) {
            generator.writeStartArray();
            for (Object item : items) {
                write(generator, item);
            }
            generator.writeEndArray();
        } else if (value instanceof long[] numbers) {
            generator.writeArray(numbers, 0, numbers.length);
        } else if (value instanceof String text) {
            generator.writeString(text);
        } else if (value instanceof Boolean flag) {
            generator.writeBoolean(flag);
        } else if (value instanceof Integer || value instanceof Long) {
            generator.writeNumber(((Number) value).longValue());
        } else if (value instanceof Double number) {
            generator.writeNumber(number);
        } else if (value == null) {
            generator.writeNull();
        } else {
            throw new IllegalArgumentException("no JSON for " + value.getClass().getName());
        }
    }
}
