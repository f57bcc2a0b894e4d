import type { ProcessAnswer } from "./process/commands.ts";

/** Describes how a command ended, in a few words. */
export function describeAnswer(answer: ProcessAnswer): string {
  switch (answer.kind) {
    case "done":
      return "it succeeded";
    case "fault": {
      const { kind, code, message } = answer.fault;
      return `${kind} \`${code}\`: ${message}`;
    }
    case "died":
      return "its process died";
    case "silent":
      return "it did not answer";
  }
}
