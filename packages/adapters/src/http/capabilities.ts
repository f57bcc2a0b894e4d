import { type Capability, defineCapability } from "@paraph/core";
import { z } from "zod";
import { toCanonicalUrl } from "../egress/canonical-url.ts";
import { responseOutput } from "../egress/response-output.ts";
import { getIdempotencyHeader, type HttpContext, performRequest } from "./perform-request.ts";

/**
 * [TRUST 30] The schema returns the canonical URL. Policy, grants and approvers see this URL, and the adapter sends it.
 */
const targetInput = {
  url: z
    .string()
    .max(8_192)
    .superRefine((raw, faults) => {
      const read = toCanonicalUrl(raw);
      if (read.kind === "refused") faults.addIssue({ code: "custom", message: `must be ${read.why}` });
    })
    .overwrite((raw) => {
      const read = toCanonicalUrl(raw);
      return read.kind === "canonical" ? read.url.href : raw;
    })
    .describe("the full URL; its host must be configured"),
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
    .describe("additional request headers"),
};

export function createHttpGetCapability(httpContext: HttpContext): Capability {
  return defineCapability({
    ...toCommonFields(httpContext, "get", "Read from a web address"),
    effect: "read",
    idempotency: "natural",
    input: z.strictObject({ ...targetInput, method: z.enum(["GET", "HEAD"]).default("GET") }),
    headline: ({ method, url }) => `${method} ${url}`,
    apply: (input, context) => performRequest(httpContext, input, context),
  });
}

export function createHttpRequestCapability(httpContext: HttpContext): Capability {
  const hosts = Object.values(httpContext.config.hosts);
  return defineCapability({
    ...toCommonFields(httpContext, "request", "Send a request to a web address"),
    effect: "write",
    // One contract covers all hosts, so it is `keyed` only if every host supports idempotency keys.
    idempotency: hosts.every(getIdempotencyHeader) ? "keyed" : "none",
    input: z.strictObject({
      ...targetInput,
      method: z.enum(["POST", "PUT", "PATCH"]),
      body: z
        .string()
        .max(1024 * 1024)
        .optional()
        .describe("sent unchanged; set its type in the header `content-type`"),
    }),
    headline: ({ method, url }) => `${method} ${url}`,
    apply: (input, context) => performRequest(httpContext, input, context),
  });
}

export function createHttpDeleteCapability(httpContext: HttpContext): Capability {
  return defineCapability({
    ...toCommonFields(httpContext, "delete", "Delete the resource at a web address"),
    effect: "destroy",
    idempotency: "natural",
    input: z.strictObject(targetInput),
    headline: ({ url }) => `DELETE ${url}`,
    apply: (input, context) => performRequest(httpContext, { ...input, method: "DELETE" }, context),
  });
}

function toCommonFields({ name, config }: HttpContext, verb: string, summary: string) {
  return { name: `${name}.${verb}`, version: 1, summary, output: responseOutput, timeout: config.timeout };
}
