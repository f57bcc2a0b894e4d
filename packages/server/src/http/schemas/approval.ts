import { z } from "@hono/zod-openapi";
import { guard, previewOrNot, purpose } from "./call.ts";
import { anyJson, approvalId, asker, callId, capabilityName, sha256, time } from "./common.ts";
import { openRound } from "./examples.ts";

export const roundStatuses = ["open", "approved", "denied", "expired", "void"] as const;
const status = z.enum(roundStatuses);
const fingerprint = z.string().openapi({ example: "1f0c 88ab 04d2 9e71" });

export const approvalSummary = z
  .object({
    approval: approvalId,
    call: callId,
    round: z.int(),
    status,
    capability: capabilityName,
    principal: z.string(),
    digest: sha256,
    fingerprint,
    guards: z.array(guard),
    votes: z.int(),
    askedAt: time,
    expiresAt: time,
  })
  .openapi("ApprovalSummary");

const newest = approvalId.openapi({ description: "The newest round about the same call." });

export const round = z.object({
  kind: z.literal("round"),
  approval: approvalId,
  call: callId,
  round: z.int(),
  status,
  newest,
  digest: sha256.openapi({ description: "Send it back with your decision: it counts for exactly this." }),
  fingerprint,
  expiresAt: time,
  capability: capabilityName,
  contract: z
    .object({
      version: z.int(),
      summary: z.string(),
      effect: z.enum(["read", "write", "destroy"]),
      risk: z.enum(["low", "medium", "high", "critical"]),
    })
    .nullable()
    .openapi({ description: "Null if this server no longer has the contract that was asked under." }),
  principal: asker,
  input: anyJson.optional(),
  previewed: z.boolean().openapi({ description: "False: nobody knows what exactly would change." }),
  preview: previewOrNot,
  purpose: purpose.optional(),
  guards: z.array(guard),
  votes: z.array(
    z.object({
      by: z.string(),
      decision: z.enum(["approve", "deny", "return"]),
      as: z.enum(["approver", "confirmation"]),
      at: time,
    }),
  ),
  masked: z.array(z.string()),
  links: z.object({
    self: z.string(),
    call: z.string(),
    newest: z.string(),
    decision: z.string().optional(),
  }),
});

export const pastRound = z.object({
  kind: z.literal("past-round"),
  approval: approvalId,
  call: callId,
  status: z.literal("void"),
  newest,
  links: z.object({ self: z.string(), call: z.string(), newest: z.string() }),
});

export const approvalView = z
  .discriminatedUnion("kind", [
    round.openapi("Round", { example: openRound }),
    pastRound.openapi("PastRound"),
  ])
  .openapi("Approval");

export type RoundView = z.input<typeof round>;
export type PastRoundView = z.input<typeof pastRound>;

export const decision = z
  .strictObject({
    decision: z.enum(["approve", "deny", "return"]).openapi({
      description: "`return` is a no with instructions for another try, given as the reason.",
    }),
    digest: sha256.openapi({ description: "The digest you were shown." }),
    reason: z.string().max(10_000).optional(),
  })
  .openapi("Decision", {
    example: {
      decision: "approve",
      digest: "1f0c88ab04d29e71c5b1a7d2f3e4968770a1b2c3d4e5f60718293a4b5c6d7e8f",
      reason: "Seen the return slip.",
    },
  });
