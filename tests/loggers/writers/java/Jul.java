import java.nio.file.*;
import java.time.Instant;
import java.util.Map;
import java.util.logging.*;

/** Writes the records of a file with java.util.logging, at the records' times. */
class Jul {
  static final Map<String, Level> LEVELS =
      Map.of("trace", Level.FINEST, "debug", Level.FINE, "info", Level.INFO, "warn", Level.WARNING, "error", Level.SEVERE);

  public static void main(String[] arguments) throws Exception {
    StreamHandler handler = new StreamHandler(System.out, new SimpleFormatter());
    handler.setLevel(Level.ALL);
    for (String line : Files.readAllLines(Path.of(arguments[0]))) {
      String[] parts = line.split("\t");
      LogRecord record = new LogRecord(LEVELS.get(parts[1]), parts[2]);
      record.setInstant(Instant.ofEpochMilli(Long.parseLong(parts[0])));
      record.setSourceClassName("com.example.Shop");
      record.setSourceMethodName("order");
      if (parts[3].equals("trace")) record.setThrown(new IllegalStateException("it broke", new RuntimeException("gone")));
      handler.publish(record);
    }
    handler.flush();
  }
}
