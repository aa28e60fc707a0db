package respmark.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;
import respmark.contract.Json;
import respmark.contract.Trial.WorkloadPart;
import respmark.testing.Golden;

class WalkerTest {
    @Test
    void everyPartBeginsAtItsGoldenCommand() throws Json.NotJson {
        int length = WorkloadFile.read(Golden.workload()).length();
        Map<?, ?> golden = (Map<?, ?>) Golden.json("workload.json").get("first_command_of_part");
        golden.forEach((name, first) -> {
            String[] words = ((String) name).split(" of ", -1);
            WorkloadPart part = new WorkloadPart("", Integer.parseInt(words[0]), Integer.parseInt(words[1]));
            assertEquals(first, Walker.of(part, 0, 1, 1, length).first(0), (String) name);
        });
    }

    @Test
    void walkersOfAPartBeginInTurn() {
        WorkloadPart part = new WorkloadPart("", 1, 2);
        assertEquals(50, Walker.of(part, 0, 2, 1, 100).first(0));
        assertEquals(75, Walker.of(part, 1, 2, 1, 100).first(0));
    }

    @Test
    void aSlicesFirstCommandMovesEveryWalkerAndGoesRound() {
        WorkloadPart part = new WorkloadPart("", 1, 2);
        assertEquals(80, Walker.of(part, 0, 2, 1, 100).first(30));
        assertEquals(5, Walker.of(part, 1, 2, 1, 100).first(30));
        assertEquals(5, Walker.of(part, 1, 2, 1, 100).first(430));
        assertEquals(82, Walker.of(part, 1, 2, 1, 100).first(Long.MAX_VALUE));
    }

    @Test
    void aWalkerGoesRound() {
        Walker walker = Walker.of(new WorkloadPart("", 0, 1), 0, 1, 7, 10);
        assertEquals(7, walker.after(0));
        assertEquals(4, walker.after(7));
    }

    @Test
    void aUnitMayBeLongerThanTheWorkload() {
        Walker walker = Walker.of(new WorkloadPart("", 0, 1), 0, 1, 27, 10);
        assertEquals(7, walker.after(0));
    }
}
