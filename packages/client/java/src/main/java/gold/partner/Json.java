package gold.partner;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Reads and writes JSON without doubles. Members that a later version adds are ignored. */
final class Json {
  static final JsonMapper MAPPER = JsonMapper.builder()
      .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
          DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
      .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
      .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
      .defaultPropertyInclusion(JsonInclude.Value.empty().withValueInclusion(JsonInclude.Include.NON_NULL))
      .addModule(new SimpleModule()
          .addDeserializer(Instant.class, reader(Instant::parse))
          .addDeserializer(LocalDate.class, reader(LocalDate::parse))
          .addSerializer(Instant.class, ToStringSerializer.instance)
          .addSerializer(LocalDate.class, ToStringSerializer.instance))
      .build();

  private Json() {}

  /** Reads a value. Throws IOException if the bytes are not JSON, or do not have the type's form. */
  static <T> T read(byte[] body, Class<T> type) throws IOException {
    T value = MAPPER.readValue(body, type);
    if (value == null) throw new IOException("it is null");
    return value;
  }

  static byte[] write(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException cause) {
      throw new IllegalStateException("The types of requests can always be written.", cause);
    }
  }

  /** Returns the members of a query that are not null, as texts. The map is new, so the caller may change it. */
  static Map<String, String> texts(Object query) {
    var type = MAPPER.getTypeFactory().constructMapType(TreeMap.class, String.class, String.class);
    return MAPPER.convertValue(query == null ? Map.of() : query, type);
  }

  /** Refuses a reply without a required member. */
  static void required(Object value, String name) {
    if (value == null) throw new IllegalArgumentException("it has no member " + name);
  }

  private static <T> JsonDeserializer<T> reader(Function<String, T> parse) {
    return new JsonDeserializer<>() {
      @Override
      public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        return parse.apply(parser.getValueAsString());
      }
    };
  }
}
