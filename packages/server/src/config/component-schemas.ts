import { type Adapter, adapterInterfaceVersion, type Capability } from "@paraph/core";
import { z } from "zod";
import type { ChannelConfig } from "../channels/channel.ts";

export const adapter = z
  .custom<Adapter>(
    (value) =>
      typeof (value as Adapter | null)?.open === "function" && typeof (value as Adapter).kind === "string",
    { error: 'not an adapter. Call a factory, such as `files({ root: "." })`', abort: true },
  )
  .refine(({ interfaceVersion }) => interfaceVersion === adapterInterfaceVersion, {
    error: ({ input }) => describeInterfaceVersion((input as Adapter).interfaceVersion),
  });
export const capability = z.custom<Capability>(
  (value) => typeof (value as Capability | null)?.contract?.name === "string",
  "not a capability. Make it with `defineCapability({ … })`",
);

export const channel = z.custom<ChannelConfig>(
  (value) =>
    typeof (value as ChannelConfig | null)?.open === "function" &&
    typeof (value as ChannelConfig).maxPerMinute === "number",
  "not a channel. Call a factory, such as `mail({ … })`",
);

function describeInterfaceVersion(version: unknown): string {
  if (typeof version !== "number")
    return "has no `interfaceVersion`. Create the adapter with `defineAdapter`";
  const remedy =
    version > adapterInterfaceVersion ? "Update Paraph" : "Update the package that the adapter comes from";
  return `has version ${version} of the adapter interface, but this Paraph supports version ${adapterInterfaceVersion}. ${remedy}`;
}
