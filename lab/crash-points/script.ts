import type { LabClient } from "../lab-client.ts";

/** A scenario to run through a crash, and the environment of the processes that run it. */
export interface Script {
  readonly env: Readonly<Record<"api" | "worker", Readonly<Record<string, string>>>>;
  play(client: LabClient, prefix: string): Promise<void>;
}
