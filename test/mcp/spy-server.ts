/**
 * An MCP server that records its arguments, its environment and each message that it receives, one per line, in the
 * given file.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , path] = process.argv;
const writeNote = (what: unknown) => appendFileSync(path!, `${JSON.stringify(what)}\n`);
const sendMessage = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

writeNote({ arguments: process.argv.slice(3), environment: process.env });

const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    serverInfo: { name: "spy", version: "1" },
    capabilities: { tools: {}, resources: {}, prompts: {} },
  },
  "tools/list": { tools: [{ name: "look", description: "Look.", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "looked" }] },
  "resources/list": { resources: [{ uri: "spy://one", name: "one" }] },
  "resources/templates/list": { resourceTemplates: [] },
  "resources/read": { contents: [{ uri: "spy://one", text: "one" }] },
  "prompts/list": { prompts: [{ name: "ask", arguments: [{ name: "about", required: true }] }] },
  "prompts/get": { messages: [{ role: "user", content: { type: "text", text: "ask" } }] },
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    writeNote(message);
    if (message.id === undefined) return;
    const result = answers[message.method];
    sendMessage({
      id: message.id,
      ...(result ? { result } : { error: { code: -32601, message: "not here" } }),
    });
  })
  .on("close", () => process.exit(0));
