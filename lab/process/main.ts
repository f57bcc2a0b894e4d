// One Paraph process, as the laboratory and the tests start it: roles and addresses from the environment, one line of
// JSON when ready, faults around its ports where the environment asks for them.
import { createLog, fileSigner, type ParaphOptions, startParaph } from "@paraph/server";
import { effectsFrom } from "../effects/config.ts";
import { faultsFrom } from "../faults/around.ts";
import config from "./config.ts";

const env = (name: string): string => process.env[name] ?? "";
const signer = fileSigner(env("SIGNING_KEY"));
const faults = faultsFrom(process.env);
const around: NonNullable<ParaphOptions["around"]> = (parts) => faults?.(patient(parts)) ?? patient(parts);

type Durable = Parameters<typeof around>[0];

/**
 * Replaces settings that depend on how a laboratory or test runs: one person denies more calls in a minute than people do in
 * a day (MOST_DENIALS), and a busy machine can delay a preview for seconds (PREVIEW_PATIENCE_MS).
 */
function patient(parts: Durable): Durable {
  const { MOST_DENIALS, PREVIEW_PATIENCE_MS } = process.env;
  const settings = {
    ...parts.ports.settings,
    ...(MOST_DENIALS !== undefined && { mostDenials: Number(MOST_DENIALS) }),
    ...(PREVIEW_PATIENCE_MS !== undefined && { previewPatienceMs: Number(PREVIEW_PATIENCE_MS) }),
  };
  return { ...parts, ports: { ...parts.ports, settings } };
}

const many = 1_000_000;
const budgets = { callsPerMinute: many, requestsPerMinute: many };
const chosen = process.env.EFFECTS_FOLDER ? effectsFrom(process.env.EFFECTS_FOLDER) : config;

const paraph = await startParaph({
  // A run places more calls in a minute than agents do.
  config: { ...chosen, budgets, metrics: { port: 0 } },
  folder: process.cwd(),
  databaseUrl: env("DATABASE_URL"),
  restate: {
    ingressUrl: env("RESTATE_INGRESS_URL"),
    adminUrl: env("RESTATE_ADMIN_URL"),
    publicKeys: env("RESTATE_PUBLIC_KEYS").split(","),
  },
  signer,
  publicKeys: [signer.publicKey],
  roles: env("ROLES").split(",") as ("api" | "worker")[],
  http: { port: Number(env("HTTP_PORT")) },
  worker: { port: Number(env("WORKER_PORT")) },
  log: createLog({ level: process.env.LOG_LEVEL === "debug" ? "debug" : "warn" }),
  version: "0.0.0",
  ...(process.env.HERE !== undefined && { here: Number(process.env.HERE) }),
  ...(process.env.MAX_DRAIN_MS !== undefined && { maxDrainMs: Number(process.env.MAX_DRAIN_MS) }),
  ...(process.env.LEASE_GRACE_MS !== undefined && { leaseGraceMs: Number(process.env.LEASE_GRACE_MS) }),
  around,
});
process.stdout.write(`${JSON.stringify({ url: paraph.url, metricsUrl: paraph.metricsUrl })}\n`);
let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.on(signal, async () => {
    // The second signal does not wait for what runs.
    if (stopping) process.exit(1);
    stopping = true;
    await paraph.stop();
    process.exit(0);
  });
// Whoever started us and died without ending us takes us along.
process.stdin.on("end", () => process.exit(1)).resume();
