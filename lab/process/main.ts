// One Paraph process, as the laboratory and the tests start it. It reads its roles and addresses from the environment,
// and writes one line of JSON when it is ready. On request, it wraps its ports with faults.
import { existsSync } from "node:fs";
import { createFileSigner, createLog, type ParaphOptions, startParaph } from "@paraph/server";
import { createEffectsConfig } from "../effects/config.ts";
import { createFaults } from "../faults/boundary-faults.ts";
import config from "./config.ts";

const readEnv = (name: string): string => process.env[name] ?? "";
const fileSigner = createFileSigner(readEnv("SIGNING_KEY"));
/** Signing fails while the file SIGNER_FAULT exists, as if a key service were unavailable. */
const signer: typeof fileSigner = {
  ...fileSigner,
  sign: async (bytes) => {
    const { SIGNER_FAULT } = process.env;
    if (SIGNER_FAULT !== undefined && existsSync(SIGNER_FAULT)) throw new Error("the signer is unavailable");
    return fileSigner.sign(bytes);
  },
};
const faults = createFaults(process.env);
const around: NonNullable<ParaphOptions["wrapPorts"]> = (parts) =>
  faults?.(overrideSettings(parts)) ?? overrideSettings(parts);

type Durable = Parameters<typeof around>[0];

/**
 * Replaces settings that do not suit a laboratory or a test. One simulated person denies more calls in a minute than a
 * real person does in a day (MOST_DENIALS). A busy machine can delay a preview for seconds (PREVIEW_PATIENCE_MS).
 */
function overrideSettings(parts: Durable): Durable {
  const { MOST_DENIALS, PREVIEW_PATIENCE_MS } = process.env;
  const settings = {
    ...parts.ports.settings,
    ...(MOST_DENIALS !== undefined && { maxDenials: Number(MOST_DENIALS) }),
    ...(PREVIEW_PATIENCE_MS !== undefined && { previewPatienceMs: Number(PREVIEW_PATIENCE_MS) }),
  };
  return { ...parts, ports: { ...parts.ports, settings } };
}

const unlimited = 1_000_000;
const budgets = { callsPerMinute: unlimited, requestsPerMinute: unlimited };
const chosenConfig = process.env.EFFECTS_FOLDER ? createEffectsConfig(process.env.EFFECTS_FOLDER) : config;

const paraph = await startParaph({
  // An experiment requests more calls per minute than agents do.
  config: { ...chosenConfig, budgets, metrics: { port: 0 } },
  folder: process.cwd(),
  databaseUrl: readEnv("DATABASE_URL"),
  restate: process.env.RESTATE_INGRESS_URL
    ? {
        ingressUrl: process.env.RESTATE_INGRESS_URL,
        adminUrl: readEnv("RESTATE_ADMIN_URL"),
        publicKeys: readEnv("RESTATE_PUBLIC_KEYS").split(","),
      }
    : undefined,
  signer,
  publicKeys: [signer.publicKey],
  roles: readEnv("ROLES").split(",") as ("api" | "worker")[],
  http: {
    port: Number(readEnv("HTTP_PORT")),
    ...(process.env.HTTP_HOST !== undefined && { host: process.env.HTTP_HOST }),
  },
  worker: { port: Number(readEnv("WORKER_PORT")) },
  log: createLog({ level: process.env.LOG_LEVEL === "debug" ? "debug" : "warn" }),
  version: "0.0.0",
  ...(process.env.HERE !== undefined && { maxInlineSegments: Number(process.env.HERE) }),
  ...(process.env.MAX_DRAIN_MS !== undefined && { maxDrainMs: Number(process.env.MAX_DRAIN_MS) }),
  ...(process.env.LEASE_GRACE_MS !== undefined && { leaseGraceMs: Number(process.env.LEASE_GRACE_MS) }),
  wrapPorts: around,
});
process.stdout.write(`${JSON.stringify({ url: paraph.url, metricsUrl: paraph.metricsUrl })}\n`);
let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.on(signal, async () => {
    // The second signal does not wait for running work.
    if (stopping) process.exit(1);
    stopping = true;
    await paraph.stop();
    process.exit(0);
  });
// The process exits when its parent dies without stopping it.
process.stdin.on("end", () => process.exit(1)).resume();
