// The desk of an editor: a folder under git, and a site that publishes drafts. Policy asks a person about every change.
import { access, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { files } from "@paraph/adapters/files";
import { git } from "@paraph/adapters/git";
import { CapabilityError, defineCapability } from "@paraph/core";
import { defineConfig } from "@paraph/server";
import { z } from "zod";

/** Returns the configuration for the desk in this folder. */
export function createConfig(desk: string) {
  const publish = defineCapability({
    name: "site.publish",
    version: 1,
    summary: "Publish a draft on the site",
    effect: "write",
    idempotency: "natural",
    retry: { retries: 0 },
    input: z.object({ draft: z.string().regex(/^inbox\/[a-z0-9-]+\.md$/) }),
    output: z.object({ page: z.string() }),
    preview: async ({ draft }) => ({
      changes: [{ kind: "move", target: draft, summary: "Publish it" }],
      basis: {},
    }),
    apply: async ({ draft }) => {
      const page = `published/${basename(draft)}`;
      if (await exists(join(desk, page))) return { page };
      if (await exists(join(desk, "site-closed")))
        throw new CapabilityError("permanent", "site-closed", "The site is closed. Nothing was published.");
      await rename(join(desk, draft), join(desk, page));
      return { page };
    },
  });
  return defineConfig({
    policy: "balanced",
    capabilities: [publish],
    adapters: { desk: files({ root: desk }), repo: git({ repository: desk }) },
    poll: { desk: { every: "1s" }, repo: { every: "1s" } },
  });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
