import { risks } from "@paraph/core";
import { z } from "zod";

const riskConfig = z.enum(risks);

/**
 * The configured risks, which replace those of the contracts. Examples are a sandboxed shell, or edits that go to
 * production.
 */
export const codingConfig = z
  .strictObject({
    risk: z
      .strictObject({
        bash: riskConfig,
        write: riskConfig,
        edit: riskConfig,
        patch: riskConfig,
        notebook_edit: riskConfig,
        read: riskConfig,
        web_fetch: riskConfig,
        web_search: riskConfig,
        skill: riskConfig,
        inner: riskConfig,
        mcp: riskConfig,
        unknown: riskConfig,
      })
      .partial()
      .optional(),
  })
  .optional();

export type CodingConfig = NonNullable<z.output<typeof codingConfig>>;
