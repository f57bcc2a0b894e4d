/** A minimal HTTP client, so that tests see what an agent sees. */
export class TestClient {
  readonly #url: string;
  readonly #keys: { agent: string; owner: string };

  constructor(url: string, keys: { agent: string; owner: string }) {
    this.#url = url;
    this.#keys = keys;
  }

  async call(capability: string, input: object, options: { key?: string; wait?: number } = {}) {
    const headers: Record<string, string> = { prefer: `wait=${options.wait ?? 0}` };
    if (options.key !== undefined) headers["idempotency-key"] = options.key;
    return this.request("agent", "POST", "/v1/calls", { capability, input }, headers);
  }

  /** Waits for the outcome, however long the processes need to recover. */
  async waitForOutcome(call: string, seconds = 120): Promise<TestCallView> {
    const deadline = Date.now() + seconds * 1_000;
    for (;;) {
      const { body } = await this.request("agent", "GET", `/v1/calls/${call}`, undefined, {
        prefer: "wait=5",
      });
      if (body.state === "closed" || Date.now() > deadline) return body;
    }
  }

  async approve(view: TestCallView) {
    const approval = view.waiting?.approval;
    if (!approval) throw new Error(`call ${view.call} waits for no approval`);
    return this.decide(approval.id, { decision: "approve", digest: approval.digest });
  }

  decide(approval: string, decision: { decision: "approve" | "deny"; digest: string; reason?: string }) {
    return this.request("owner", "POST", `/v1/approvals/${approval}/decision`, decision);
  }

  async request(
    as: "agent" | "owner",
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ) {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#keys[as]}`,
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(120_000),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as TestCallView,
    };
  }
}

export interface TestCallView {
  readonly call: string;
  readonly state: string;
  readonly outcome?: { readonly kind: string; readonly code: string };
  readonly output?: unknown;
  readonly waiting?: {
    readonly for: string;
    readonly approval?: { readonly id: string; readonly digest: string };
  };
  readonly code?: string;
  readonly [more: string]: unknown;
}
