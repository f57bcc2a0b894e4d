import { risks } from "@paraph/core";
import { z } from "zod";

const risk = z.enum(risks);

/** Where your shell is shut in, or your edits go to production: how risky each is, unless what stands in its contract holds. */
export const codingConfig = z
  .strictObject({
    risk: z
      .strictObject({
        bash: risk,
        write: risk,
        edit: risk,
        patch: risk,
        notebook_edit: risk,
        read: risk,
        web_fetch: risk,
        web_search: risk,
        skill: risk,
        inner: risk,
        mcp: risk,
        unknown: risk,
      })
      .partial()
      .optional(),
  })
  .optional();

export type CodingConfig = NonNullable<z.output<typeof codingConfig>>;
