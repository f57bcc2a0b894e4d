import type { JsonObject, OutcomeKind } from "@paraph/core";

/** A call as the API shows it to who asked, as far as an agent has use for it. */
export interface CallView {
  readonly call: string;
  readonly capability: string;
  readonly state: string;
  readonly key: string;
  readonly createdAt: string;
  readonly closedAt?: string;
  readonly outcome?: { readonly kind: OutcomeKind; readonly code: string };
  readonly waiting?: Waiting;
  readonly input?: unknown;
  readonly preview: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly reason?: unknown;
  readonly undo?: unknown;
  readonly instructions?: string;
  readonly successor?: string;
  readonly editedBy?: string;
  readonly resolution?: { readonly finding: "happened" | "not-happened"; readonly by: string };
  readonly joined?: true;
}

interface Waiting {
  readonly for: "approval" | "check" | "lock" | "retry" | "thaw" | "performing" | "preview";
  readonly until?: string;
  readonly approval?: {
    readonly id: string;
    readonly fingerprint: string;
    readonly guards: readonly {
      readonly id: string;
      readonly sentence: string;
      readonly quorum: number;
      readonly group?: string;
    }[];
  };
  readonly how: string;
}

/** One fact in the life of a call, as CloudEvents 1.0: ids, numbers, codes and commitments. */
export interface CallEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly subject: string;
  readonly data: JsonObject;
}

export interface CapabilitySummary {
  readonly name: string;
  readonly version: number;
  readonly summary: string;
  readonly effect: "read" | "write" | "destroy";
  readonly risk: "low" | "medium" | "high" | "critical";
  readonly previews: boolean;
  readonly contractDigest: string;
}

/** What a capability promises, with the JSON Schemas of its input and output. */
export interface CapabilityContract extends CapabilitySummary {
  readonly idempotency: "natural" | "keyed" | "probe" | "none";
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly sensitive: readonly string[];
}
