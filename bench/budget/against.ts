import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import type { BenchOptions } from "../lib/options.ts";
import type { Budget } from "./kinds.ts";

/** Runs the same benchmark in another clone, with its own code and packages, and returns its costs. */
export async function measureOther(
  folder: string,
  { engine, quick }: BenchOptions,
  signal: AbortSignal,
): Promise<Budget> {
  const root = resolve(folder);
  const args = ["bench/main.ts", "budget", "--json", "--engine", engine, ...(quick ? ["--quick"] : [])];
  const child = spawn(process.execPath, ["--conditions=paraph-source", "--no-warnings", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = () => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  signal.removeEventListener("abort", stop);
  if (code !== 0) throw new Error(`\`npm run bench -- budget\` in ${join(folder)} ended with ${code}.`);
  return (JSON.parse(output.trim().split("\n").at(-1) ?? "") as { costs: Budget }).costs;
}
