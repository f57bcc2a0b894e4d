import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Config, createFileSigner, createLog, startParaph } from "@paraph/server";
import { sendToParent, stopOnDisconnect } from "./in-child.ts";

type Paraph = Awaited<ReturnType<typeof startParaph>>;

/**
 * Starts one measured Paraph process. The environment provides its role and addresses. `listen` registers the handlers
 * for the parent's messages before the process reports that it is ready. `beside` is a file in the folder of the
 * configuration.
 */
export async function startMeasuredProcess(
  config: Config,
  beside: string,
  listen: (paraph: Paraph) => void = () => {},
): Promise<void> {
  const env = (name: string): string => process.env[name] ?? "";
  const signer = createFileSigner(env("SIGNING_KEY"));
  const from = performance.now();
  const paraph = await startParaph({
    // One principal requests more calls per minute here than agents do.
    config: { ...config, budgets: { callsPerMinute: 10_000_000, requestsPerMinute: 10_000_000 } },
    folder: dirname(fileURLToPath(beside)),
    databaseUrl: env("DATABASE_URL"),
    ...(process.env.RESTATE_INGRESS_URL && {
      restate: {
        ingressUrl: process.env.RESTATE_INGRESS_URL,
        adminUrl: env("RESTATE_ADMIN_URL"),
        publicKeys: [env("RESTATE_PUBLIC_KEY")],
      },
    }),
    ...(process.env.WORKER_PORT !== undefined && { worker: { port: Number(process.env.WORKER_PORT) } }),
    signer,
    publicKeys: [signer.publicKey],
    roles: [env("ROLE") as "api" | "worker"],
    ...(process.env.HERE !== undefined && { maxInlineSegments: Number(process.env.HERE) }),
    log: createLog({ level: "warn" }),
    version: "0.0.0",
  });
  const tookMs = performance.now() - from;
  listen(paraph);
  stopOnDisconnect(() => paraph.stop());
  await sendToParent({ kind: "ready", url: paraph.url, tookMs });
}
