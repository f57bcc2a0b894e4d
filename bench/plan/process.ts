// One Paraph process as it is measured: its role and addresses come from the environment.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { createLog, fileSigner, startParaph } from "@paraph/server";
import { tell, whenLetGo } from "../lib/in-child.ts";
import { config } from "./config.ts";

const env = (name: string): string => process.env[name] ?? "";
const signer = fileSigner(env("SIGNING_KEY"));

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
  log: createLog({ level: "warn" }),
  version: "0.0.0",
});
whenLetGo(() => paraph.stop());
await tell({ kind: "ready", url: paraph.url });
