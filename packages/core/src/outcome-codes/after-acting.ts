import type { OutcomeCodeType } from "./outcome-codes.ts";

/** The codes of calls that an attempt or a composite ended: succeeded, failed and unknown calls. */
export const codesAfterActing = {
  done: {
    outcomes: ["succeeded"],
    meaning: "The call was performed, and its output matches the contract.",
    remedy: "Nothing to do.",
  },
  "output-invalid": {
    outcomes: ["succeeded"],
    meaning:
      "The call was performed, but its output does not match the contract. Paraph withholds the output.",
    remedy: "Do not repeat the call. Correct the capability or its output schema.",
  },
  "output-too-large": {
    outcomes: ["succeeded"],
    meaning: "The call was performed, but its output exceeds 4 MiB. Paraph withholds the output.",
    remedy:
      "Do not repeat a write. Read the result in smaller parts, or let the capability return a reference.",
  },
  "step-failed": {
    outcomes: ["failed"],
    meaning: "A step of the plan or composite did not succeed.",
    remedy:
      "Read the outcome of the step that the error names. `paraph undo` reverses the completed steps that offer an undo.",
  },
  compensated: {
    outcomes: ["failed"],
    meaning: "A step did not succeed, and Paraph undid all completed steps.",
    remedy: "Correct the step that failed, then request the plan again.",
  },
  "compensated-in-part": {
    outcomes: ["failed"],
    meaning:
      "A step did not succeed, and Paraph undid only some completed steps, because the others offer no undo.",
    remedy: "Check the effects of the steps that were not undone, and reverse them yourself if necessary.",
  },
  "compensation-failed": {
    outcomes: ["failed"],
    meaning:
      "A step did not succeed, and the plan that should undo the completed steps did not succeed either.",
    remedy: "Read the outcome of the step `$compensation`, and reverse the remaining effects yourself.",
  },
  "no-way-back": {
    outcomes: ["failed"],
    meaning: "A step did not succeed, and none of the completed steps offers an undo.",
    remedy: "Check the effects of the completed steps, and reverse them yourself if necessary.",
  },
  "step-unknown": {
    outcomes: ["unknown"],
    meaning: "A step of the plan or composite has an unknown outcome.",
    remedy: "Resolve the step with `paraph resolve`. `paraph calls --unknown` lists it.",
  },
  "not-deterministic": {
    outcomes: ["failed"],
    meaning:
      "The code of a composite requested another step than in its previous run, or the same step twice.",
    remedy:
      "Change `compose` so that it requests the same steps in every run. Check the effects of the steps that ended.",
  },
  stuck: {
    outcomes: ["failed"],
    meaning: "The code of a composite waited for something that is not a step.",
    remedy: "Change `compose` so that it waits only for steps. Check the effects of the steps that ended.",
  },
  "steps-too-large": {
    outcomes: ["failed"],
    meaning: "The outputs of the steps exceed 16 MiB together, so the composite could not continue.",
    remedy: "Undo the steps separately if necessary. Split the composite, or let its steps return less.",
  },
  "not-ended": {
    outcomes: ["failed"],
    meaning: "A composite reads the end of a step that has not ended.",
    remedy: "Read the call of the step with `paraph show`.",
  },
  timeout: {
    outcomes: ["unknown", "failed"],
    meaning: "The attempt ran until its deadline. The outcome is failed for a read, and unknown otherwise.",
    remedy:
      "Check the external system, then resolve the call. If the work takes longer, raise `timeout` of the capability.",
  },
  "too-late": {
    outcomes: ["failed", "unknown"],
    meaning:
      "An attempt could not begin before its deadline. The outcome is unknown if an earlier attempt may have acted.",
    remedy:
      "Request the call again, or resolve the unknown outcome. Check whether the server's processes are overloaded.",
  },
  "timed-out": {
    outcomes: ["unknown", "failed"],
    meaning:
      "A client of the capability gave up before the external system answered. The outcome is failed for a read.",
    remedy: "Check the external system, then resolve the call.",
  },
  aborted: {
    outcomes: ["unknown", "failed"],
    meaning: "A request of the capability was aborted. The outcome is failed for a read.",
    remedy: "Check the external system, then resolve the call.",
  },
  error: {
    outcomes: ["failed", "unknown"],
    meaning: "The capability failed, and its error has no code that is safe to record.",
    remedy: "Read the error of the call. Let the capability throw a `CapabilityError` with a code.",
  },
  "no-verdict": {
    outcomes: ["unknown"],
    meaning: "The capability threw an error that does not tell whether the effect happened.",
    remedy:
      "Check the external system, then resolve the call. Let the capability throw a `CapabilityError` with a kind.",
  },
  "not-json": {
    outcomes: ["refused", "failed"],
    meaning:
      "A composite or a capability used a value that has no canonical JSON form, such as half of a surrogate pair.",
    remedy: "Change its code so that it uses plain JSON values.",
  },
  "no-key-no-probe": {
    outcomes: ["unknown"],
    meaning:
      "An attempt may have acted, and the contract allows neither a second attempt nor a probe (idempotency `none`).",
    remedy: "Check the external system, then resolve the call.",
  },
  restored: {
    outcomes: ["unknown"],
    meaning:
      "The database was restored from a backup after the call was accepted. The call may have acted after the backup, without a record of it, and its contract allows neither a second attempt nor a probe, or it ended before Paraph could ask.",
    remedy:
      "Check the external system and evidence from outside of the database (`paraph restored evidence`), then resolve the call.",
  },
  "key-expired": {
    outcomes: ["unknown"],
    meaning:
      "An attempt may have acted, and the external system no longer remembers its idempotency key (`keyTtl`).",
    remedy: "Check the external system, then resolve the call.",
  },
  "probe-failed": {
    outcomes: ["unknown"],
    meaning:
      "An attempt may have acted, and the external system could not be probed, after up to nine tries.",
    remedy:
      "When the external system answers again, run `paraph probe`. Or check it yourself, then resolve the call.",
  },
  "probe-unsure": {
    outcomes: ["unknown"],
    meaning: "An attempt may have acted, and the external system can't tell whether it did.",
    remedy: "Check the external system yourself, then resolve the call.",
  },
  "lost-too-often": {
    outcomes: ["unknown"],
    meaning: "Ten attempts of the call began, and no process recorded how they ended.",
    remedy: "Find out why processes end during this call. Check the external system, then resolve the call.",
  },
  "crashed-repeatedly": {
    outcomes: ["failed", "unknown"],
    meaning:
      "Three processes died while they ran the call. The outcome is unknown if an attempt may have acted.",
    remedy:
      "Find out why the capability ends its process, for example in the server's log. Resolve an unknown outcome with `paraph resolve`.",
  },
  "not-reported": {
    outcomes: ["unknown", "failed"],
    meaning:
      "The agent claimed the call and did not report on it by the deadline. The outcome is failed for a read.",
    remedy: "Check the external system, then resolve the call.",
  },
} as const satisfies Record<string, OutcomeCodeType>;
