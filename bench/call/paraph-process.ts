// One Paraph process as it is measured: its role and addresses come from the environment.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createLog, fileSigner, startParaph } from "@paraph/server";
import { tell, whenLetGo } from "../lib/in-child.ts";
import { Profiler } from "../lib/profiler.ts";
import { config, effects } from "./config.ts";

const env = (name: string): string => process.env[name] ?? "";
const signer = fileSigner(env("SIGNING_KEY"));
const profiler = new Profiler();

const paraph = await startParaph({
  config,
  folder: dirname(fileURLToPath(import.meta.url)),
  databaseUrl: env("DATABASE_URL"),
  restate: {
    ingressUrl: env("RESTATE_INGRESS_URL"),
    adminUrl: env("RESTATE_ADMIN_URL"),
    publicKeys: [env("RESTATE_PUBLIC_KEY")],
  },
  signer,
  publicKeys: [signer.publicKey],
  roles: [env("ROLE") as "api" | "worker"],
  ...(process.env.HERE !== undefined && { here: Number(process.env.HERE) }),
  log: createLog({ level: "warn" }),
  version: "0.0.0",
});

process.on("message", async ({ kind }: { kind: string }) => {
  if (kind === "effects") await tell({ kind, count: effects() });
  if (kind === "profile") {
    profiler.start();
    await tell({ kind: "profiling" });
  }
  if (kind === "profiled") await tell({ kind, profile: profiler.stop() });
});
whenLetGo(() => paraph.stop());
await tell({ kind: "ready", url: paraph.url });
