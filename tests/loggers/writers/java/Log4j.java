import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.message.SimpleMessage;

/** Writes the records of a file with the layout of log4j's default configuration and a date, at the records' times. */
class Log4j {
  public static void main(String[] arguments) throws Exception {
    PatternLayout layout =
        PatternLayout.newBuilder().withPattern("%d [%t] %-5level %logger{36} - %msg%n").withCharset(StandardCharsets.UTF_8).build();
    for (String line : Files.readAllLines(Path.of(arguments[0]))) {
      String[] parts = line.split("\t");
      Throwable thrown = parts[3].equals("trace") ? new IllegalStateException("it broke", new RuntimeException("gone")) : null;
      Log4jLogEvent event =
          Log4jLogEvent.newBuilder()
              .setLoggerName("com.example.Shop")
              .setLevel(Level.valueOf(parts[1]))
              .setMessage(new SimpleMessage(parts[2]))
              .setThreadName("main")
              .setThrown(thrown)
              .setTimeMillis(Long.parseLong(parts[0]))
              .build();
      System.out.write(layout.toByteArray(event));
    }
    System.out.flush();
  }
}
