import { type Call, lastPreview } from "../call.ts";
import type { Capability, Preview } from "../capability/capability.ts";
import { composeHeadline, contractHeadline, lastHeadline } from "../headline.ts";
import type { Json } from "../json.ts";
import type { Ports } from "../ports.ts";
import type { NewPayload } from "../store.ts";
import { createPayload } from "./close.ts";

/**
 * Returns the preview and the headline as payloads, if they are new to the call. A headline that the contract alone
 * determines is not stored.
 */
export function newContentPayloads(
  call: Call,
  capability: Capability,
  preview: Preview | undefined,
  ports: Ports,
): NewPayload[] {
  const headline = currentHeadline(call, capability, preview, ports);
  const isStored = call.payloads.headline !== undefined || headline !== contractHeadline(capability.contract);
  return [
    ...newPreviewPayload(call, preview, ports),
    ...(isStored ? newHeadlinePayload(call, headline, ports) : []),
  ];
}

/** Returns the preview as a payload, if it is new to the call. */
export function newPreviewPayload(call: Call, preview: Preview | undefined, ports: Ports): NewPayload[] {
  if (!preview || preview === lastPreview(call)) return [];
  return [createPayload("preview", preview as unknown as Json, ports)];
}

/** Returns the headline as a payload, if it is new to the call. */
export function newHeadlinePayload(call: Call, headline: string, ports: Ports): NewPayload[] {
  return call.payloads.headline?.value === headline ? [] : [createPayload("headline", headline, ports)];
}

/** Returns the recorded headline if the preview is unchanged, and composes a new one otherwise. */
export function currentHeadline(
  call: Call,
  capability: Capability,
  preview: Preview | undefined,
  ports: Ports,
): string {
  const recorded = preview === lastPreview(call) ? lastHeadline(call) : undefined;
  return recorded ?? composeHeadline(call, capability, preview, ports);
}
