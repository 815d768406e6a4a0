import { withPort, type Agent, type AgentInput } from "./agent.ts";

/** The address with a port, which Beats, Logstash and rsyslog need. */
const node = ({ addresses }: AgentInput): string => withPort(`${addresses.ingest_url}/elasticsearch`);

export const ELASTICSEARCH_AGENTS: readonly Agent[] = [
  {
    id: "filebeat",
    title: "Filebeat",
    protocol: "elasticsearch",
    file: "filebeat.yml",
    language: "yaml",
    use: "Replaces the output of the configuration. Filebeat uses port 9200 if the address has no port.",
    documents: [
      "https://www.elastic.co/docs/reference/beats/filebeat/elasticsearch-output",
      "https://www.elastic.co/docs/reference/beats/filebeat/filebeat-input-filestream",
      "https://www.elastic.co/docs/reference/beats/filebeat/configuration-template",
      "https://www.elastic.co/docs/reference/beats/filebeat/ilm",
    ],
    text: (input) => `filebeat.inputs:
  - type: filestream
    id: files
    paths: ["/var/log/*.log"]
    fields_under_root: true
    fields: { service: { name: "${input.service}" } }
output.elasticsearch:
  hosts: ["${node(input)}"]
  api_key: "any:${input.key}"
setup.template.enabled: false
setup.ilm.enabled: false
`,
  },
  {
    id: "logstash",
    title: "Logstash",
    protocol: "elasticsearch",
    file: "pipeline.conf",
    language: "ruby",
    use: "Replaces the output of the pipeline. Logstash uses port 9200 if the address has no port.",
    documents: ["https://www.elastic.co/docs/reference/logstash/plugins/plugins-outputs-elasticsearch"],
    text: (input) => `output {
  elasticsearch {
    hosts => ["${node(input)}"]
    user => "any"
    password => "${input.key}"
    index => "logstash"
    data_stream => false
    manage_template => false
    ilm_enabled => false
  }
}
`,
  },
  {
    id: "rsyslog-elasticsearch",
    title: "rsyslog, with omelasticsearch",
    protocol: "elasticsearch",
    file: "/etc/rsyslog.d/mooring.conf",
    language: "text",
    use: "Needs Debian's package rsyslog-elasticsearch. The server confirms each batch, so no message is lost while the queue has room.",
    text: (input) => `module(load="omelasticsearch")
template(name="mooring" type="list" option.jsonf="on") {
  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
  property(outname="log.level" name="syslogseverity-text" format="jsonf")
  property(outname="service.name" name="programname" format="jsonf")
  property(outname="host.name" name="hostname" format="jsonf")
}
action(type="omelasticsearch" server="${node(input)}" uid="any" pwd="${input.key}"
  template="mooring" searchIndex="rsyslog" searchType="" bulkmode="on"
  queue.type="LinkedList" queue.dequeueBatchSize="500" action.resumeRetryCount="-1" action.resumeInterval="1")
`,
  },
  {
    id: "elasticsearch-node",
    title: "Elasticsearch's client of Node",
    protocol: "elasticsearch",
    file: "a module of your program",
    language: "js",
    use: "Needs the package @elastic/elasticsearch, version 8 or 9. The result has the number of documents that were not stored. With maxRetries, the client waits a few minutes for a server that is away.",
    text: (input) => `const { Client } = require("@elastic/elasticsearch");

const client = new Client({ node: "${node(input)}", auth: { apiKey: "${input.key}" }, maxRetries: 100 });
const send = (datasource) =>
  client.helpers.bulk({ datasource, onDocument: () => ({ create: { _index: "logs-${input.service}-default" } }) });
`,
  },
  {
    id: "elasticsearch-python",
    title: "Elasticsearch's client of Python",
    protocol: "elasticsearch",
    file: "a module of your program",
    language: "py",
    use: "Needs the package elasticsearch, version 8 or 9. If the server is away, send raises ConnectionError or ConnectionTimeout: call it again with the same documents. The server stores them once.",
    text: (input) => `from elasticsearch import Elasticsearch, helpers

client = Elasticsearch("${node(input)}", api_key="${input.key}")


def send(documents):
    actions = ({"_op_type": "create", "_index": "logs-${input.service}-default", **document} for document in documents)
    return helpers.bulk(client, actions)
`,
  },
  {
    id: "pino-elasticsearch",
    title: "pino, with pino-elasticsearch",
    protocol: "elasticsearch",
    file: "a module of your program",
    language: "js",
    use: "Needs the packages pino and pino-elasticsearch. With maxRetries, it waits a few minutes for a server that is away. Without, it drops the rows after three retries.",
    text: (input) => `const { Client } = require("@elastic/elasticsearch");
const pino = require("pino");
const pinoElasticsearch = require("pino-elasticsearch");

class PatientClient extends Client {
  constructor(options) {
    super({ ...options, maxRetries: 100 });
  }
}
const options = {
  node: "${node(input)}",
  auth: { username: "any", password: "${input.key}" },
  index: "pino",
  esVersion: 8,
  flushInterval: 1000,
};
const stream = pinoElasticsearch(options, { Client: PatientClient });
stream.on("error", (error) => console.error(error));
stream.on("insertError", (error) => console.error(error));
const logger = pino({ base: { service: "${input.service}" } }, stream);
`,
  },
  {
    id: "winston-elasticsearch",
    title: "winston, with winston-elasticsearch",
    protocol: "elasticsearch",
    file: "a module of your program",
    language: "js",
    use: "Needs the packages winston and winston-elasticsearch. It keeps rows in memory while the server is away.",
    text: (input) => `const winston = require("winston");
const { ElasticsearchTransport } = require("winston-elasticsearch");

const transport = new ElasticsearchTransport({
  clientOpts: { node: "${node(input)}", auth: { bearer: "${input.key}" } },
  index: "logs-${input.service}-default",
});
transport.on("error", (error) => console.error(error));
const logger = winston.createLogger({ transports: [transport] });
`,
  },
];
