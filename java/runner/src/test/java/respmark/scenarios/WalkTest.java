package respmark.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;
import respmark.contract.Json;
import respmark.contract.Trial.WorkloadPart;
import respmark.testing.Golden;
import respmark.workload.WorkloadFile;

class WalkTest {
    private static final Layout ONE = new Layout(1, 1, "command");

    @Test
    void everyPartBeginsAtItsGoldenCommand() throws Json.NotJson {
        int length = WorkloadFile.read(Golden.workload()).length();
        Map<?, ?> golden = (Map<?, ?>) Golden.json("workload.json").get("first_command_of_part");
        golden.forEach((name, first) -> {
            String[] words = ((String) name).split(" of ", -1);
            WorkloadPart part = new WorkloadPart("", Integer.parseInt(words[0]), Integer.parseInt(words[1]));
            assertEquals(first, Walk.of(part, 0, ONE, length).first(0), (String) name);
        });
    }

    @Test
    void walkersOfAPartBeginInTurn() {
        Layout two = new Layout(2, 1, "command");
        WorkloadPart part = new WorkloadPart("", 1, 2);
        assertEquals(50, Walk.of(part, 0, two, 100).first(0));
        assertEquals(75, Walk.of(part, 1, two, 100).first(0));
    }

    @Test
    void aSlicesFirstCommandMovesEveryWalkerAndGoesRound() {
        Layout two = new Layout(2, 1, "command");
        WorkloadPart part = new WorkloadPart("", 1, 2);
        assertEquals(80, Walk.of(part, 0, two, 100).first(30));
        assertEquals(5, Walk.of(part, 1, two, 100).first(30));
        assertEquals(5, Walk.of(part, 1, two, 100).first(430));
        assertEquals(82, Walk.of(part, 1, two, 100).first(Long.MAX_VALUE));
    }

    @Test
    void aWalkIsCyclic() {
        Walk walk = Walk.of(new WorkloadPart("", 0, 1), 0, new Layout(1, 7, "batch"), 10);
        assertEquals(7, walk.after(0));
        assertEquals(4, walk.after(7));
    }

    @Test
    void aUnitMayBeLongerThanTheWorkload() {
        Walk walk = Walk.of(new WorkloadPart("", 0, 1), 0, new Layout(1, 27, "batch"), 10);
        assertEquals(7, walk.after(0));
    }
}
