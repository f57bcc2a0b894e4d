import { risks } from "@paraph/core";
import { z } from "zod";

const riskConfig = z.enum(risks);

/**
 * The configured risks, which replace the risks in the contracts. For example, an operator can lower the risk of a
 * sandboxed shell, or raise the risk of edits that go to production.
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
