import ch.qos.logback.classic.*;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.file.*;

/** Writes the records of a file with the pattern of Logback's default configuration, at the records' times. */
class Logback {
  public static void main(String[] arguments) throws Exception {
    LoggerContext context = new LoggerContext();
    Logger logger = context.getLogger("com.example.Shop");
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%d{yyyy-MM-dd HH:mm:ss.SSS} [%thread] %-5level %logger{36} -%kvp- %msg%n");
    encoder.start();
    for (String line : Files.readAllLines(Path.of(arguments[0]))) {
      String[] parts = line.split("\t");
      Throwable thrown = parts[3].equals("trace") ? new IllegalStateException("it broke", new RuntimeException("gone")) : null;
      LoggingEvent event = new LoggingEvent("Logback", logger, Level.valueOf(parts[1]), parts[2], thrown, null);
      event.setTimeStamp(Long.parseLong(parts[0]));
      System.out.write(encoder.encode(event));
    }
    System.out.flush();
  }
}
