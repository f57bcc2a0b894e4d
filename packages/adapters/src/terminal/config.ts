import { z } from "zod";

const positiveCount = z.int().positive();

/** The schema of the terminal adapter's configuration. */
export const terminalConfig = z.strictObject({
  workspace: z.string().min(1).describe("the folder in which programs run, relative to the configuration"),
  read: z.array(z.string().min(1)).default([]).describe("other folders that programs may read"),
  allowRoot: z.boolean().default(false).describe("whether the adapter opens even if Paraph runs as root"),
  network: z.boolean().default(false).describe("whether runs can access the network"),
  timeout: z
    .string()
    .default("60s")
    .meta({ description: "the timeout of a program, at most 9 minutes", typeName: "duration" }),
  limits: z
    .strictObject({
      memoryMb: positiveCount.default(2_048).describe("the maximum memory in MiB"),
      fileMb: positiveCount.default(256).describe("the maximum size of a file that it writes, in MiB"),
      openFiles: positiveCount.default(1_024).describe("the maximum number of open files"),
      cpuSeconds: positiveCount
        .exactOptional()
        .describe("the maximum CPU time in seconds (default: no limit)"),
      processes: positiveCount
        .exactOptional()
        .describe("the maximum number of processes of Paraph's user (default: no limit)"),
    })
    .prefault({})
    .describe("the limits of each process"),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
    .default({})
    .describe("the environment of runs; refer to a secret by its name in `$` and braces"),
  maxMb: positiveCount.default(256).describe("the maximum size of the workspace in MiB"),
  maxEntries: positiveCount
    .default(20_000)
    .describe("the maximum number of files and folders in the workspace"),
  snapshots: z
    .strictObject({
      folder: z
        .string()
        .min(1)
        .exactOptional()
        .describe("the folder of the snapshots (default: `.paraph/snapshots/<name>`)"),
      keep: positiveCount.default(20).describe("the number of snapshots to keep"),
      days: positiveCount.default(7).describe("the number of days to keep a snapshot"),
    })
    .prefault({})
    .describe("the snapshots of the workspace, which `restore` uses"),
});

export type TerminalConfig = z.output<typeof terminalConfig>;
