package respmark.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import respmark.contract.Json;
import respmark.testing.Golden;

class HistogramTest {
    private static long number(Object value) {
        return ((Number) value).longValue();
    }

    private static List<List<Long>> pairs(Histogram histogram) {
        return histogram.pairs().stream().map(pair -> List.of(pair[0], pair[1])).toList();
    }

    @Test
    void everyGoldenValueFallsIntoItsBucket() throws Json.NotJson {
        for (Object vector : (List<?>) Golden.json("histogram.json").get("buckets")) {
            long value = number(((List<?>) vector).get(0));
            Histogram histogram = new Histogram();
            histogram.add(new long[] {value}, 1);
            assertEquals(List.of(List.of(number(((List<?>) vector).get(1)), 1L)), pairs(histogram));
            assertEquals(value, histogram.maxNs());
        }
    }

    @Test
    void theGoldenSamplesFoldAsTheGoldenHistogram() throws Json.NotJson {
        Map<String, Object> golden = Golden.json("histogram.json");
        long[] samples = ((List<?>) golden.get("samples"))
                .stream().mapToLong(HistogramTest::number).toArray();
        Histogram first = new Histogram();
        first.add(samples, samples.length / 2);
        Histogram second = new Histogram();
        second.add(
                java.util.Arrays.copyOfRange(samples, samples.length / 2, samples.length),
                samples.length - samples.length / 2);
        first.add(second);
        List<List<Long>> expected = ((List<?>) golden.get("histogram"))
                .stream()
                        .map(pair -> ((List<?>) pair)
                                .stream().map(HistogramTest::number).toList())
                        .toList();
        assertEquals(expected, pairs(first));
    }
}
