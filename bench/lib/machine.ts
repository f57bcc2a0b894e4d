import { execFileSync } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, cpus, loadavg, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import type { LabEngine } from "../../lab/lab.ts";
import { computeLatency, type Latency } from "./stats.ts";

/** The machine of a measurement. Figures mean nothing without it. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  /** The load average of the last minute before the run, caused by other processes. */
  readonly loadBefore: number;
  /** The milliseconds to write and sync one 8 KiB block. */
  readonly fdatasync: Latency;
  readonly node: string;
  readonly restate: string;
  readonly commit: string;
}

/** Describes the machine. `folder` must be on the disk that the servers write to. */
export function describeMachine(folder: string): Machine {
  const [first] = cpus();
  return {
    cpu: first?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: `${platform()} ${release()} ${arch()}`,
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    fdatasync: measureSyncLatency(folder),
    node: process.version,
    restate: readRestateVersion(),
    commit: readCommit(),
  };
}

/** Formats the versions of the measured programs and of the code, for the heading of a report. */
export function formatVersions(
  { node, postgres, restate, commit }: Machine & { readonly postgres: string },
  engine: LabEngine,
): string {
  const other = engine === "restate" ? `Restate ${restate} (one node, 2 partitions)` : "also the engine";
  return `Node ${node}, PostgreSQL ${postgres} (durable), ${other}; commit ${commit}`;
}

function measureSyncLatency(folder: string): Latency {
  const file = join(folder, "sync-probe");
  const block = Buffer.alloc(8_192, 1);
  const handle = openSync(file, "w");
  try {
    const times = Array.from({ length: 200 }, (_, index) => {
      const begun = performance.now();
      writeSync(handle, block, 0, block.length, (index % 64) * block.length);
      fdatasyncSync(handle);
      return performance.now() - begun;
    });
    return computeLatency(times.slice(50));
  } finally {
    closeSync(handle);
    rmSync(file);
  }
}

function readRestateVersion(): string {
  const file = createRequire(import.meta.url).resolve(
    `@restatedev/restate-server-${platform()}-${arch()}/package.json`,
  );
  return String(JSON.parse(readFileSync(file, "utf8")).version);
}

function readCommit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    return (
      git("rev-parse", "--short=12", "HEAD") +
      // The results of earlier runs do not count as uncommitted changes, because they do not change the measured code.
      (git("status", "--porcelain", "--", ":/", ":(top,exclude)docs/proof", ":(top,exclude)docs/proof.md") ===
      ""
        ? ""
        : " with uncommitted changes")
    );
  } catch {
    return "unknown";
  }
}
