import { z } from "zod";

const positiveCount = z.int().positive();

/** The schema of the terminal adapter's configuration. */
export const terminalConfig = z.strictObject({
  workspace: z.string().min(1).describe("the folder programs work in, relative to the configuration"),
  read: z.array(z.string().min(1)).default([]).describe("other folders they may read"),
  allowRoot: z.boolean().default(false).describe("whether it opens although Paraph runs as root"),
  network: z.boolean().default(false).describe("whether runs reach the network"),
  timeout: z.string().default("60s").describe("how long a program may take: at most 9 minutes"),
  limits: z
    .strictObject({
      memoryMb: positiveCount.default(2_048),
      fileMb: positiveCount.default(256),
      openFiles: positiveCount.default(1_024),
      cpuSeconds: positiveCount.exactOptional(),
      processes: positiveCount.exactOptional(),
    })
    .prefault({})
    .describe("of each process"),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
    .default({})
    .describe("the environment of runs; a secret is named in `$` and braces"),
  maxMb: positiveCount.default(256).describe("the most a workspace may hold"),
  maxEntries: positiveCount.default(20_000).describe("the most files and folders in it"),
  snapshots: z
    .strictObject({
      folder: z
        .string()
        .min(1)
        .exactOptional()
        .describe("where they are kept: `.paraph/snapshots/<name>` unless said"),
      keep: positiveCount.default(20),
      days: positiveCount.default(7),
    })
    .prefault({}),
});

export type TerminalConfig = z.output<typeof terminalConfig>;
