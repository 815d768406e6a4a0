import { LEVEL_WORD } from "./levels.ts";
import type { Groups } from "./entry.ts";

const LEVEL = `(?<level>${LEVEL_WORD})`;
const head = (expression: string, flags = "s"): RegExp => new RegExp(`^${expression}(?<message>.*)$`, flags);

/**
 * Formats of the text between the time and the message that contain more than a level. The first match counts. `letter`
 * and `severity` are levels of one character.
 */
const HEADS: readonly RegExp[] = [
  // oslo.log: 2931 INFO nova.compute.manager [req-… user tenant - - -] message
  head(`(?<pid>\\d+) ${LEVEL} (?<logger>\\S+?):? (?:\\[(?<context>[^\\]]*)\\] ?)?`),
  // Spring Boot: INFO 1234 --- [app] [main] com.example.App : message
  head(`${LEVEL} +(?<pid>\\d+) --- (?:\\[[^\\]]*\\] )?\\[ *(?<thread>[^\\]]*)\\] (?<logger>\\S+) *: `),
  // Python: - name - LEVEL - message
  head(`- (?<logger>\\S+) - ${LEVEL} - `),
  // Zookeeper: - WARN  [thread@774] - message
  head(`- ${LEVEL} +\\[(?<thread>(?:[^[\\]]|\\[[^\\]]*\\])*)\\] - `),
  // Python's basicConfig: :ERROR:root:message, root:ERROR:message
  head(`:${LEVEL}:(?<logger>[\\w.]+):`),
  // Ruby: #1234] ERROR -- program: message
  head(`#(?<pid>\\d+)\\] +${LEVEL} -- (?<logger>[^:]{0,100}): `),
  // Cisco: %SYS-5-CONFIG_I: message
  /^(?=%[A-Z\d_]+-(?<severity>[0-7])-[A-Z\d_]+: )(?<message>.*)$/s,
  // PostgreSQL: [1234] user@database LOG: message. DETAIL, HINT, CONTEXT and STATEMENT are not levels.
  /^\[(?<pid>\d+)(?:-\d+)?\] (?:(?<user>[^@\s]*)@(?<database>\S+) )?(?:(?<level>(?!DETAIL|HINT|CONTEXT|STATEMENT|QUERY|LOCATION)[A-Z]+\d?): +)?(?<message>.*)$/s,
  // loguru: | WARNING  | module:function:3 - message
  head(`\\| ${LEVEL} +\\| (?<logger>\\S+) - `),
  // ClickHouse: [ 1234 ] {query} <Error> logger: message
  head(`\\[ *(?<thread>\\d+) *\\] \\{(?<query_id>[^}]*)\\} <(?<level>\\w+)> (?:(?<logger>[^:]{1,100}): )?`),
  // Elasticsearch, log4js: [WARN ][logger] message, [INFO] logger - message
  head(`\\[${LEVEL} *\\] ?\\[(?<logger>[\\w.$-]+) *\\] ?`),
  head(`\\[${LEVEL}\\] (?<logger>[\\w.$-]+) - `),
  // gunicorn: [1234] [INFO] message
  head(`\\[(?<pid>\\d+)\\] \\[${LEVEL}\\] `),
  // MySQL: 0 [Warning] [MY-010068] [Server] message
  head(
    "(?<thread>\\d+) \\[(?<level>Note|Warning|ERROR|System)\\] (?:\\[(?<code>MY-\\d+)\\] \\[(?<subsystem>\\w+)\\] )?",
  ),
  // Android: 1702  2395 D WindowManager: message
  head("(?<pid>\\d+) +(?<thread>\\d+) (?<letter>[VDIWEFA]) (?<logger>[^:]{1,200}?) *: "),
  // MongoDB before 4.4: I  NETWORK  [thread] message
  head("(?<letter>[FEWID])[1-5]? +(?<logger>[A-Z_]+|-) +\\[(?<thread>[^\\]]+)\\] "),
  // etcd: W | component: message
  head("(?<letter>[CEWNIDT]) \\| (?:(?<logger>[\\w/.-]+): )?"),
  // Logback: [main] INFO com.example.App - message
  head(`\\[(?<thread>[^\\]]+)\\] \\[?${LEVEL}\\]? +(?:(?<logger>[\\w.$-]+) +(?:-|:) )?`),
  // Tomcat, Hadoop: WARNING [main] org.example.Class.method message, INFO [main] org.example.Class: message
  head(`${LEVEL} +\\[(?<thread>[^\\]]+)\\] (?<logger>[\\w$-]+(?:\\.[\\w$-]+)+):? `),
  // [error] message
  head(`\\[${LEVEL}\\]:? *`, "si"),
  // LEVEL com.example.App - message; LEVEL message
  head(`${LEVEL}(?: +|: *)(?:(?<logger>[\\w$-]+(?:\\.[\\w$-]+)+)(?::| -)? )?`),
];

/** Returns the parts of the text after a time; empty when no format matches. */
export function headOf(rest: string): Groups {
  for (const expression of HEADS) {
    const groups = expression.exec(rest)?.groups;
    if (groups !== undefined) return groups;
  }
  return {};
}
