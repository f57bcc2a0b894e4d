import type { Capability, Change, Preview } from "@paraph/core";
import { z } from "zod";
import type { Administration, PendingPin, PinDigest } from "./administration.ts";
import { adminPrefix, createRefusal, defineAdminCapability } from "./define-admin-capability.ts";

/**
 * [TRUST 7] Creates `admin.mcp_approve`. A model follows a tool's description, so the receipt records the approver and
 * the exact text that was approved.
 */
export function createMcpApproveCapability({ pins }: Administration): Capability {
  return defineAdminCapability({
    verb: "mcp_approve",
    summary: "Approve the tool descriptions of an MCP server",
    risk: "high",
    input: approveInput,
    output: z.object({ approved: z.array(z.string()).describe("`tool:NAME` or `prompt:NAME`") }),
    locks: (input) => [`${adminPrefix}:pins:${input.adapter}`],
    preview: async (input, { tenant }) => {
      if (!(await pins.isOnlyTenant(tenant))) throw createOtherTenantsError();
      return buildApprovalPreview(input, await pins.listPending(input.adapter));
    },
    apply: async (input, { basis }) => {
      const { approved: wanted } = basis as unknown as PinApprovalBasis;
      const approved = await pins.approve(input.adapter, wanted).catch(() => {
        throw createRefusal(
          "pins-not-written",
          "Paraph can't write pins on this server. Approve them next to the configuration with `paraph mcp pins ADAPTER --approve DIGEST --in-file`, then deploy.",
        );
      });
      if (approved.length < wanted.length) throw createNotPendingError();
      return { approved: [...approved] };
    },
  });
}

const approveInput = z.strictObject({
  adapter: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, "expected the name of an adapter"),
  digests: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, "expected a full digest"))
    .min(1)
    .max(500)
    .refine((digests) => new Set(digests).size === digests.length, "list each digest only once")
    .describe("digests of pending descriptions, as `paraph mcp pins` shows them"),
});

interface PinApprovalBasis {
  readonly approved: readonly PinDigest[];
}

/**
 * Builds the preview. Paraph builds it again before it performs the call. If the MCP server has changed a description
 * by then, Paraph approves nothing.
 */
function buildApprovalPreview(input: z.output<typeof approveInput>, waiting: readonly PendingPin[]): Preview {
  const chosen = input.digests.map((digest) => waiting.find((pin) => pin.digest === digest));
  if (!chosen.every((pin) => pin !== undefined)) throw createNotPendingError();
  return {
    changes: chosen.map((pin) => toChange(input.adapter, pin)),
    basis: { approved: chosen.map(({ id, digest }) => ({ id, digest })) },
  };
}

function toChange(server: string, { id, digest, kind, suspicions, diff }: PendingPin): Change {
  const said =
    kind === "new" ? "Models would read this for the first time." : "Models would read this changed text.";
  const careful = suspicions.map((each) => suspicionWarnings[each] ?? each);
  return {
    kind: kind === "new" ? "create" : "update",
    target: `${server} ${id}`,
    summary: [said, ...(careful.length > 0 ? [`CAREFUL: ${careful.join(", and ")}.`] : [])].join(" "),
    diff,
    details: { digest },
  };
}

const suspicionWarnings: Record<string, string> = {
  instructions: "it reads like instructions to the model",
  "hidden-characters": "it contains hidden characters, which are shown below",
};

function createNotPendingError() {
  return createRefusal(
    "pin-not-waiting",
    "The server changed this description, or it is already approved. List the pending ones with `paraph mcp pins`.",
  );
}

function createOtherTenantsError() {
  return createRefusal(
    "others-concerned",
    "Other tenants use this MCP server too. An operator must approve it for all of them, next to the configuration: `paraph mcp pins ADAPTER --approve DIGEST --in-file`.",
  );
}
