package respmark.clients;

/** What a library gives one walker to drive: a unit, and a flight if a sliding window drives it. */
public record Lane(Unit unit, Flight flight) {
    public Lane(Unit unit) {
        this(unit, null);
    }
}
