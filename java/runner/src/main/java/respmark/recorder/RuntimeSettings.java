package respmark.recorder;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What a reader must know about the JVM: flags, heap, collectors, compiler. */
public final class RuntimeSettings {
    private RuntimeSettings() {}

    public static Map<String, Object> now() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put(
                "jvm_flags",
                String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
        settings.put("heap_max_bytes", Runtime.getRuntime().maxMemory());
        settings.put(
                "gc",
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .map(GarbageCollectorMXBean::getName)
                        .collect(Collectors.joining(", ")));
        settings.put(
                "jit", ManagementFactory.getCompilationMXBean().getName() + ", " + System.getProperty("java.vm.info"));
        settings.put("cpu_source", Cpu.sourceName());
        return settings;
    }
}
