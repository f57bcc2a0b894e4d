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
  let view = await client.call(key, capability, { name: key });
  const { call = "" } = view;
  while (view.state !== "closed") {
    const { approval } = view.waiting ?? {};
    if (approval) await client.decide(approval.id, "approve", approval.digest);
    // A request waits for the end of the call, not for its approval, so a longer wait would delay the approval.
    view = await client.getCall(key, capability, call, 1);
  }
  return Date.now();
}
