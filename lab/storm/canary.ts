import type { LabClient } from "../lab-client.ts";

/** Requests a call that no person decides on, and returns the time at which its end is known. */
export async function runCanary(client: LabClient, key: string): Promise<number> {
  const { call } = await client.call(key, "free.keyed", { name: key });
  while ((await client.getCall(key, "free.keyed", call ?? "", 5)).state !== "closed");
  return Date.now();
}

/** Requests a call, approves it, and returns the time at which its end is known. A worker performs the call. */
export async function runApprovedCanary(client: LabClient, key: string): Promise<number> {
  const capability = "asked.keyed";
  const { call = "" } = await client.call(key, capability, { name: key });
  for (;;) {
    const { state, waiting } = await client.getCall(key, capability, call, 5);
    if (state === "closed") return Date.now();
    if (waiting?.approval) await client.decide(waiting.approval.id, "approve", waiting.approval.digest);
  }
}
