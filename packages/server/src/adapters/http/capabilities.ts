import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { answerOutput } from "../../outbound/answer.ts";
import { canonicalUrl } from "../../outbound/canonical-url.ts";
import { keyHeader, perform, type Setting } from "./perform.ts";

/** [TRUST 30] What the schema makes of it is what policy, grants and people see, and what is sent. */
const where = {
  url: z
    .string()
    .max(8_192)
    .superRefine((raw, faults) => {
      const read = canonicalUrl(raw);
      if (read.kind === "refused") faults.addIssue({ code: "custom", message: `has to be ${read.why}` });
    })
    .overwrite((raw) => {
      const read = canonicalUrl(raw);
      return read.kind === "canonical" ? read.url.href : raw;
    })
    .describe("the whole URL, with a host that is configured"),
  headers: z
    .record(z.string().max(64), z.string().max(8_192))
    .refine((headers) => Object.keys(headers).length <= 32, "at most 32 headers")
    .refine((headers) => {
      const names = Object.keys(headers).map((name) => name.toLowerCase());
      return new Set(names).size === names.length;
    }, "name each header once")
    .overwrite((headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()])),
    )
    .optional()
    .describe("beyond those that are sent in any case"),
};

export function getCapability(setting: Setting): Capability {
  return defineCapability({
    ...about(setting, "get", "Read from a web address"),
    effect: "read",
    idempotency: "natural",
    input: z.strictObject({ ...where, method: z.enum(["GET", "HEAD"]).default("GET") }),
    apply: (input, world) => perform(setting, input, world),
  });
}

export function requestCapability(setting: Setting): Capability {
  const hosts = Object.values(setting.config.hosts);
  return defineCapability({
    ...about(setting, "request", "Send something to a web address"),
    effect: "write",
    // A contract speaks for every host it may be used with.
    idempotency: hosts.every(keyHeader) ? "keyed" : "none",
    input: z.strictObject({
      ...where,
      method: z.enum(["POST", "PUT", "PATCH"]),
      body: z
        .string()
        .max(1024 * 1024)
        .optional()
        .describe("as it is sent; say what it is in `content-type`"),
    }),
    apply: (input, world) => perform(setting, input, world),
  });
}

export function deleteCapability(setting: Setting): Capability {
  return defineCapability({
    ...about(setting, "delete", "Delete what is at a web address"),
    effect: "destroy",
    idempotency: "natural",
    input: z.strictObject(where),
    apply: (input, world) => perform(setting, { ...input, method: "DELETE" }, world),
  });
}

function about({ name, config }: Setting, verb: string, summary: string) {
  return { name: `${name}.${verb}`, version: 1, summary, output: answerOutput, timeout: config.timeout };
}
