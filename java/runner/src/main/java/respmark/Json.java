package respmark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Map;

/** Messages as JSON; what this runner does not know is left out. */
final class Json {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private Json() {}

    static <T> T read(String line, Class<T> type) throws JsonProcessingException {
        return MAPPER.readValue(line, type);
    }

    static String line(String name, Object message) throws JsonProcessingException {
        return text(Map.of(name, message));
    }

    static String text(Object message) throws JsonProcessingException {
        return MAPPER.writeValueAsString(message);
    }
}
