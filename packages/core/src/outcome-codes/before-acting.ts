import type { OutcomeCodeType } from "./outcome-codes.ts";

/** The codes of calls that end before an attempt: refused, denied, expired, cancelled and superseded calls. */
export const codesBeforeActing = {
  forbidden: {
    outcomes: ["refused"],
    meaning: "A policy forbids the call, so no approval could help.",
    remedy:
      "Read the ruling with `paraph policy explain`, which names the policies. Request something else, or ask an administrator to change policy.",
  },
  "not-permitted": {
    outcomes: ["refused"],
    meaning: "No policy permits the call.",
    remedy: "Ask an administrator for a policy that permits it. `paraph policy explain` shows why none does.",
  },
  "policy-error": {
    outcomes: ["refused"],
    meaning:
      "Paraph could not evaluate policy, for example because a policy reads a field that the input lacks.",
    remedy: "Run `paraph policy explain` for the call, correct the policy, then request the call again.",
  },
  "check-failed": {
    outcomes: ["refused"],
    meaning: "A check that policy demands did not pass.",
    remedy: "Read the findings of the check in the call. Correct the input, then request the call again.",
  },
  "check-error": {
    outcomes: ["refused"],
    meaning: "A check that policy demands could not run, or returned an invalid result.",
    remedy: "Correct the check or its configuration, then request the call again.",
  },
  "not-confirmed": {
    outcomes: ["refused"],
    meaning: "No person approved the change, and no policy permits it for unattended use.",
    remedy:
      "Add a policy that asks people, or permit the capability under `unattended` in the configuration.",
  },
  "step-invalid": {
    outcomes: ["refused"],
    meaning:
      "A step of the plan can't be admitted. Its capability is missing or unavailable, or its input is not valid.",
    remedy: "Correct the step that the ruling names, then request the plan again.",
  },
  "preview-failed": {
    outcomes: ["refused"],
    meaning: "The preview of the call failed, so policy and people could not see its changes.",
    remedy:
      "Read the error of the call. Correct the input, or wait until the external system answers, then request the call again.",
  },
  "preview-incomplete": {
    outcomes: ["refused"],
    meaning: "The preview is too large to show in full, so people can't approve the call.",
    remedy: "Split the call into smaller ones, or raise the limit of the adapter.",
  },
  "asked-too-often": {
    outcomes: ["refused"],
    meaning: "After its checks, the call needs another approval, but people were already asked three times.",
    remedy: "Request the call again.",
  },
  "basis-changed": {
    outcomes: ["refused", "expired"],
    meaning:
      "The underlying data changed after the approval, and Paraph can't ask again, because there were three rounds or the deadline has passed.",
    remedy: "Request the call again, so that people review the current data.",
  },
  "not-applied-in-time": {
    outcomes: ["refused", "expired"],
    meaning:
      "The approval became too old (`applyWithin`), and Paraph can't ask again, because there were three rounds or the deadline has passed.",
    remedy: "Request the call again.",
  },
  "approval-insufficient": {
    outcomes: ["refused", "expired"],
    meaning:
      "After the approval, policy demands other approvals, because its rules or what they depend on changed. Paraph can't ask again, because there were three rounds or the deadline has passed.",
    remedy: "Request the call again.",
  },
  "approver-barred": {
    outcomes: ["refused", "expired"],
    meaning:
      "A person who approved the call was frozen or disabled before it acted, and Paraph can't ask again, because there were three rounds or the deadline has passed.",
    remedy: "Request the call again, so that other people decide.",
  },
  "approval-mismatch": {
    outcomes: ["refused"],
    meaning: "The call no longer matches the digest that people approved.",
    remedy: "Request the call again, and inform the operator that its record changed after the approval.",
  },
  "seal-invalid": {
    outcomes: ["refused", "unknown"],
    meaning:
      "Part of the call's record has no valid seal, because another program or an older version wrote it to the database. The outcome is unknown if an attempt may have acted.",
    remedy:
      "Inform the operator of the database. Resolve an unknown outcome with `paraph resolve`, then request the call again.",
  },
  "limit-reached": {
    outcomes: ["refused"],
    meaning:
      "A limit on money was used up when the call was about to act, or a limit rejected a step of a plan.",
    remedy: "Request the call again when the window of the limit resets.",
  },
  "capability-unavailable": {
    outcomes: ["refused", "unknown"],
    meaning:
      "The adapter of the call stayed unavailable for as long as `applyWithin`. The outcome is unknown if an attempt may have acted.",
    remedy:
      "Check the adapter with `paraph adapters`. Resolve an unknown outcome with `paraph resolve`, then request the call again.",
  },
  "contract-changed": {
    outcomes: ["superseded", "refused", "failed", "unknown", "succeeded"],
    meaning:
      "The contract of the capability changed while the call was open. Paraph admitted the call again as a new call (superseded), or could not (refused). A composite stops (failed). The outcome is unknown if an attempt may have acted. After a successful report of an agent, Paraph withholds the output.",
    remedy:
      "If the call was superseded, follow its successor. Otherwise check what was done, then request the call again under the new contract.",
  },
  "capability-unknown": {
    outcomes: ["refused", "failed"],
    meaning: "A step names a capability that the server does not have.",
    remedy: "Correct the name, or add the adapter. `paraph capabilities` lists the available ones.",
  },
  "input-invalid": {
    outcomes: ["refused", "failed"],
    meaning:
      "The input of a step does not match the schema of its capability, often because a value from an earlier step has another type.",
    remedy: "Correct the plan or the code of the composite, then request it again.",
  },
  "edit-refused": {
    outcomes: ["refused"],
    meaning:
      "A person edited the plan, and policy does not let that person request this step, whose input became known later.",
    remedy: "Request the step as a separate call.",
  },
  "key-reused": {
    outcomes: ["refused"],
    meaning: "The key of a step belongs to a call outside its plan.",
    remedy: "Request the plan again.",
  },
  "already-undone": {
    outcomes: ["refused"],
    meaning: "Another call has already undone what this step would undo, or is undoing it.",
    remedy: "Read the undo of the call with `paraph show`. Do not undo it again.",
  },
  "budget-exceeded": {
    outcomes: ["refused"],
    meaning: "The step would cost more than the remaining cost that its composite declares.",
    remedy: "Raise the `cost` of the composite, or make its steps cheaper.",
  },
  "lock-undeclared": {
    outcomes: ["refused"],
    meaning: "The composite declares locks, and the step needs a lock that is not among them.",
    remedy: "Add the key to `locks` of the composite.",
  },
  "too-deep": {
    outcomes: ["refused"],
    meaning: "Composites call each other more than eight levels deep.",
    remedy: "Remove the loop between the composites, or flatten them.",
  },
  denied: {
    outcomes: ["denied"],
    meaning: "An approver denied the call.",
    remedy: "Read the reason. Do not request the same call again.",
  },
  returned: {
    outcomes: ["denied"],
    meaning: "An approver returned the call with instructions.",
    remedy: "Follow the instructions in the reason, then request a new call.",
  },
  "no-answer": {
    outcomes: ["expired"],
    meaning: "The approval expired before enough people decided.",
    remedy: "Tell an approver that the call is coming, then request it again.",
  },
  "not-claimed": {
    outcomes: ["expired"],
    meaning: "The agent did not claim the offered call within `applyWithin`, so nothing was performed.",
    remedy: "Request the call again, and claim it as soon as its state is `offered`.",
  },
  withdrawn: {
    outcomes: ["cancelled"],
    meaning:
      "The requester, the requester's owner or the person for whom the requester acts withdrew the call.",
    remedy: "Nothing to do. For a plan, read its steps to see which of them ended before.",
  },
  edited: {
    outcomes: ["superseded"],
    meaning: "A person edited the input, so a new call replaced this one.",
    remedy: "Follow the new call, which is the `successor` of this one.",
  },
} as const satisfies Record<string, OutcomeCodeType>;
