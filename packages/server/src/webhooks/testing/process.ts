// A process that does nothing but tell one endpoint, to be killed: prints a line when it has begun.
import { connect, webhooksIn } from "../../postgres/index.ts";
import { endpointsFrom, startDelivering } from "../index.ts";

const env = (name: string): string => process.env[name] ?? "";
const database = await connect(env("DATABASE_URL"));
await startDelivering({
  endpoints: endpointsFrom([{ url: env("ENDPOINT"), secret: "hook", allowLoopback: true }]),
  outbox: webhooksIn(database, env("DATABASE_URL")),
  credentials: { resolve: async () => env("SECRET") },
  now: Date.now,
  cloudEvent: ({ call }, { seq }) => ({
    type: "dev.paraph.call.accepted.v1",
    call,
    seq,
    sender: process.pid,
  }),
  log: () => {},
  lookMs: 20,
});
process.stdout.write("ready\n");
// Whoever started us and died without ending us takes us along.
process.stdin.on("end", () => process.exit(1)).resume();
