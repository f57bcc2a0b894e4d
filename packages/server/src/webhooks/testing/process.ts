// A process that only delivers to one endpoint, for tests that kill it. It prints a line after its start.
import { connectDatabase, createWebhookStore } from "../../postgres/index.ts";
import { createEndpoints, startWebhookDelivery } from "../index.ts";

const env = (name: string): string => process.env[name] ?? "";
const database = await connectDatabase(env("DATABASE_URL"));
await startWebhookDelivery({
  endpoints: createEndpoints([{ url: env("ENDPOINT"), secret: "hook", allowLoopback: true }]),
  outbox: createWebhookStore(database, env("DATABASE_URL")),
  credentials: { resolve: async () => env("SECRET") },
  now: Date.now,
  toCloudEvent: ({ call }, { seq }) => ({
    type: "dev.paraph.call.accepted.v1",
    call,
    seq,
    sender: process.pid,
  }),
  log: () => {},
  pollMs: 20,
});
process.stdout.write("ready\n");
// Exits when the parent process dies without stopping this one.
process.stdin.on("end", () => process.exit(1)).resume();
