package respmark.clients;

/** What one walker drives; a flight only where the window slides. */
public record Lane(Unit unit, Flight flight) {
    public Lane(Unit unit) {
        this(unit, null);
    }
}
