import type { ClientRecord } from "./history/history.ts";
import type { LabKeys } from "./lab-cluster.ts";
import { toActionRequest, type UserAction } from "./user-action.ts";

interface LabAnswer {
  readonly status: number;
  readonly body: {
    readonly call?: string;
    readonly state?: string;
    readonly code?: string;
    readonly resetAt?: string;
    readonly outcome?: { readonly kind: string; readonly code: string };
    readonly output?: unknown;
    /** Present for a call that was superseded. */
    readonly successor?: string;
    /** Present for a sent message. */
    readonly message?: string;
    readonly capability?: string;
    readonly approval?: { readonly id: string };
    /** Present for a claimed call, which the agent performs now. */
    readonly perform?: object;
    /** Present for a plan. */
    readonly steps?: readonly PlanStep[];
    readonly waiting?: {
      readonly for: string;
      readonly approval?: { readonly id: string; readonly digest: string };
    };
  };
}

interface PlanStep {
  readonly step: string;
  readonly capability: string;
  readonly call?: string;
  readonly state?: string;
  readonly outcome?: { readonly kind: string };
}

interface LabClientOptions {
  /** The time after which the client repeats a request without a response. */
  readonly requestMs?: number;
  /** Called if a process answers with a 5xx status, or does not answer. */
  readonly onFailure?: (url: string, status: number | "no answer") => void;
}

/**
 * A client that records the responses it receives. If it receives none, it repeats the request with the same
 * idempotency key.
 */
export class LabClient {
  readonly records: ClientRecord[] = [];
  readonly #keys: LabKeys;
  readonly #urls: () => readonly string[];
  readonly #options: LabClientOptions;

  constructor(keys: LabKeys, urls: () => readonly string[], options: LabClientOptions = {}) {
    this.#keys = keys;
    this.#urls = urls;
    this.#options = options;
  }

  /** Requests a call and repeats the request until a response comes, however many processes die meanwhile. */
  async call(
    key: string,
    capability: string,
    input: object,
    options: { as?: keyof LabKeys; wait?: number } = {},
  ): Promise<LabAnswer["body"]> {
    const answer = await this.#insist(
      options.as ?? "agent",
      "POST",
      "/v1/calls",
      { capability, input },
      { "idempotency-key": key, prefer: `wait=${options.wait ?? 0}` },
    );
    this.#answered(key, capability, answer);
    return answer.body;
  }

  /** Returns the call as the owner sees it. The owner may see every call. */
  async getCall(key: string, capability: string, call: string, wait: number): Promise<LabAnswer["body"]> {
    const answer = await this.#insist("owner", "GET", `/v1/calls/${call}`, undefined, {
      prefer: `wait=${wait}`,
    });
    this.#answered(key, capability, answer);
    return answer.body;
  }

  /** Returns the call's current approval, if there is one. */
  async findApproval(call: string): Promise<{ readonly id: string; readonly digest: string } | undefined> {
    const { body } = await this.#insist("owner", "GET", `/v1/calls/${call}`);
    return body.waiting?.approval;
  }

  async steps(plan: string): Promise<readonly PlanStep[]> {
    const { body } = await this.#insist("owner", "GET", `/v1/plans/${plan}`);
    return body.steps ?? [];
  }

  /**
   * Decides on an approval. If the response is lost, the repeated request may find that the first request already
   * closed the round.
   */
  async decide(
    approval: string,
    decision: "approve" | "deny" | "return",
    digest: string,
    as: keyof LabKeys = "approver",
    declined: readonly string[] = [],
  ): Promise<number> {
    const { status } = await this.#insist(as, "POST", `/v1/approvals/${approval}/decision`, {
      decision,
      digest,
      ...(decision === "return" && { reason: "do it otherwise" }),
      ...(declined.length > 0 && { declined }),
    });
    this.records.push({ kind: "decided", at: Date.now(), approval, decision, digest, status });
    return status;
  }

  /** Performs an action. A repetition after a lost response may find that the action is already done. */
  async act(as: keyof LabKeys, action: UserAction): Promise<LabAnswer> {
    const { path, body, headers } = toActionRequest(action);
    const answer = await this.#insist(as, "POST", path, body, headers);
    const { call, message } = answer.body;
    this.records.push({
      kind: "did",
      at: Date.now(),
      deed: action,
      status: answer.status,
      ...(typeof call === "string" && { call }),
      ...(message !== undefined && { message }),
    });
    return answer;
  }

  #answered(key: string, capability: string, { status, body }: LabAnswer): void {
    const { call, state, outcome, code } = body;
    this.records.push({
      kind: "answered",
      at: Date.now(),
      key,
      capability,
      status,
      ...(call !== undefined && { call }),
      ...(state !== undefined && { state }),
      ...(outcome && { outcome: outcome.kind }),
      ...(code !== undefined && { code }),
    });
  }

  async #insist(
    as: keyof LabKeys,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<LabAnswer> {
    const deadline = Date.now() + maxSilenceMs;
    for (let attempt = 0; ; attempt++) {
      const urls = this.#urls();
      const url = urls[attempt % Math.max(1, urls.length)] ?? "";
      try {
        const response = await fetch(url + path, {
          method,
          headers: {
            authorization: `Bearer ${this.#keys[as]}`,
            ...(body && { "content-type": "application/json" }),
            ...headers,
          },
          ...(body && { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(this.#options.requestMs ?? 20_000),
        });
        const answer = { status: response.status, body: (await response.json()) as LabAnswer["body"] };
        if (answer.status < 500) return answer;
        this.#options.onFailure?.(url, answer.status);
      } catch {
        // The process died or the database is unavailable, so nothing was acknowledged.
        this.#options.onFailure?.(url, "no answer");
      }
      if (Date.now() > deadline)
        throw new Error(
          `no answer to ${method} ${path.split("/").slice(0, 3).join("/")} for ${maxSilenceMs} ms`,
        );
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** This is long enough for all processes to die and restart on a busy machine. */
const maxSilenceMs = 240_000;
