import type { AdapterView } from "../api/api-views.ts";

/** Returns the state of an adapter in one word. An adapter that is still starting has not failed. */
export function describeAdapterState({
  state,
  code,
}: Pick<AdapterView, "state" | "code">): AdapterView["state"] | "starting" {
  return state === "unavailable" && code === "adapter-starting" ? "starting" : state;
}
