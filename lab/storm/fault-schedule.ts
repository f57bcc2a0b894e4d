import { setTimeout as sleep } from "node:timers/promises";
import type { LabEngine } from "../lab.ts";
import type { LabCluster } from "../lab-cluster.ts";
import type { LabProcess } from "../lab-process.ts";

/** The Paraph processes of an experiment, by role. A killed process is started again, as a supervisor would do. */
export class ProcessPool {
  readonly #cluster: LabCluster;
  readonly #env: Record<string, string>;
  readonly #members: { role: "api" | "worker"; running: LabProcess }[] = [];

  private constructor(cluster: LabCluster, env: Record<string, string>) {
    this.#cluster = cluster;
    this.#env = env;
  }

  static async start(
    cluster: LabCluster,
    apis: number,
    workers: number,
    env: Record<string, string> = {},
  ): Promise<ProcessPool> {
    const pool = new ProcessPool(cluster, env);
    const roles = [
      ...Array.from({ length: workers }, () => "worker" as const),
      ...Array.from({ length: apis }, () => "api" as const),
    ];
    for (const role of roles) pool.#members.push({ role, running: await cluster.startProcess(role, env) });
    return pool;
  }

  /** Returns the URLs of the API processes as last started. */
  urls(): string[] {
    return this.#members.filter(({ role }) => role === "api").map(({ running }) => running.ready.url);
  }

  async injectFault(fault: ScheduledFault, chance: () => number): Promise<void> {
    switch (fault.victim) {
      case "postgres":
        return this.#cluster.restartPostgres();
      case "node":
        return this.#cluster.restartNode(Math.floor(chance() * this.#cluster.nodes.length));
      case "engine":
        return this.#cluster.wipeEngine();
      default:
        return this.#hit(fault, chance);
    }
  }

  async #hit({ victim, freezeMs }: ScheduledFault, chance: () => number): Promise<void> {
    const candidates = this.#members.filter(({ role }) => role === victim);
    const member = candidates[Math.floor(chance() * candidates.length)]!;
    if (freezeMs !== undefined) {
      member.running.child.kill("SIGSTOP");
      await sleep(freezeMs);
      member.running.child.kill("SIGCONT");
      return;
    }
    await member.running.end("SIGKILL");
    member.running = await this.#cluster.startProcess(member.role, this.#env);
  }

  /** Kills the processes, PostgreSQL and the engine at the same time. */
  async killAll(): Promise<void> {
    await Promise.all(this.#members.map(({ running }) => running.end("SIGKILL")));
    await Promise.all([
      this.#cluster.restartPostgres(),
      ...this.#cluster.nodes.map((_, index) => this.#cluster.restartNode(index)),
    ]);
    for (const member of this.#members)
      member.running = await this.#cluster.startProcess(member.role, this.#env);
  }
}

export interface ScheduledFault {
  readonly victim: "api" | "worker" | "postgres" | "node" | "engine";
  /** The time for which the process is suspended and then continued. Present if the fault does not kill the process. */
  readonly freezeMs?: number;
}

/**
 * Draws the next victim: mostly a Paraph process, sometimes PostgreSQL or a node of Restate, rarely all of Restate's
 * data.
 */
export function drawFault(chance: () => number, engine: LabEngine): ScheduledFault {
  const roll = chance();
  if (roll < 0.15) return { victim: "postgres" };
  if (engine === "restate" && roll < 0.35) return { victim: "node" };
  if (engine === "restate" && roll < 0.38) return { victim: "engine" };
  const victim = chance() < 0.65 ? "worker" : "api";
  return chance() < 0.15 ? { victim, freezeMs: Math.round(500 + chance() * 11_000) } : { victim };
}
