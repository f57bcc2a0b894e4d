import type { LabClient } from "../lab-client.ts";

/** What is played through a crash, and what the processes that play in it are told. */
export interface Script {
  readonly env: Readonly<Record<"api" | "worker", Readonly<Record<string, string>>>>;
  play(client: LabClient, prefix: string): Promise<void>;
}
